/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads and writes profiles in .fc files; the only code that does.  Called by fcmanager, and by the
 * code that loads profiles for fcdump and fcgprof.  Never prints.  Files are not trusted.
 */
#pragma once

#include "profile/fc-profile.h"

#define FC_PROFILE_ERROR (fc_profile_error_quark())
GQuark fc_profile_error_quark(void);
typedef enum
{
    FC_PROFILE_ERROR_IO,        /* message: reason only, the caller names the file */
    FC_PROFILE_ERROR_MALFORMED, /* message: "line N: reason" */
    FC_PROFILE_ERROR_VERSION,
} FcProfileErrorCode;

/* What a .fc file begins with. */
#define FC_PROFILE_MAGIC "functioncheck_v"

/* Receives how much of a file has been read: `done` of `total` bytes.  `total` is 0 if it is not
 * known.  Called once for every piece of some 64 KiB. */
typedef struct
{
    void (*report)(gpointer data, const char *path, guint64 done, guint64 total);
    gpointer data;
} FcProgress;

/* Reads a profile; the caller frees it.  NULL and `error`: the file can't be read or is malformed.
 * It is read once from start to end and may be a pipe.  `progress` may be NULL. */
FcProfile *fc_profile_read(const char *path, const FcProgress *progress, GError **error);
/* Reads a profile from memory; `data` need not be terminated. */
FcProfile *fc_profile_parse(const char *data, gsize bytes, GError **error);

/* Returns the text of a .fc file.  The caller frees it. */
GString *fc_profile_format(const FcProfile *profile);

/* Writes `path`, relative to directory `dirfd` (or AT_FDCWD).  Writes a new temporary file in the
 * same directory first (O_EXCL, following no symbolic link), then renames it.  So readers see
 * either the old file or the whole new one.  FALSE and `error`: it failed. */
gboolean fc_profile_write(const FcProfile *profile, int dirfd, const char *path, GError **error);
