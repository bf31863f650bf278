/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles in .fc files: the one reader and the one writer of them.  Called by fcmanager, and by
 * what loads profiles for fcdump and fcgprof; never prints.  What is read is not trusted.
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

/* Who is told how far a file has been read: `done` of `total` bytes, which is 0 where that is not
 * known.  Called once for every piece of some 64 KiB. */
typedef struct
{
    void (*report)(gpointer data, const char *path, guint64 done, guint64 total);
    gpointer data;
} FcProgress;

/* NULL and `error` where the file can't be read or is malformed in any place.  It is read once from
 * its start to its end and may be a pipe; `progress` may be NULL. */
FcProfile *fc_profile_read(const char *path, const FcProgress *progress, GError **error);
/* The same from memory; `data` need not be terminated. */
FcProfile *fc_profile_parse(const char *data, gsize bytes, GError **error);

/* The text of a .fc file. */
GString *fc_profile_format(const FcProfile *profile);

/* Writes `path` (relative to directory `dirfd`, or AT_FDCWD) by way of a new
 * temporary file in the same directory (O_EXCL, no symbolic link followed) that
 * is renamed into place: readers see the old file or the whole new one. */
gboolean fc_profile_write(const FcProfile *profile, int dirfd, const char *path, GError **error);
