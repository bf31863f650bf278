/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads and writes whole files, for the profile and the descriptor.  Errors are of domain
 * FC_PROFILE_ERROR, code IO; their message is the reason alone.
 */
#pragma once

#include <glib.h>

/* A file that is read once from start to end.  `size` is its number of bytes, or 0 if that is not
 * known, as for a pipe.  The caller closes it. */
typedef struct
{
    int fd;
    guint64 size;
    guint64 done; /* bytes read so far */
} FcFileIn;

gboolean fc_file_open(FcFileIn *file, const char *path, GError **error);
/* Reads up to `room` bytes.  Returns their number; 0 at the end, -1 with `error`. */
gssize fc_file_next(FcFileIn *file, char *into, gsize room, GError **error);
void fc_file_close(FcFileIn *file);

/* Returns the contents of a small file that must begin with `magic`.  If it does not, the rest is
 * not read, so *bytes is small.  The caller frees the result with g_free. */
char *fc_file_read(const char *path, const char *magic, gsize *bytes, GError **error);

/* See fc_profile_write. */
gboolean fc_file_replace(int dirfd, const char *path, const GString *text, GError **error);

/* The same for a text that comes in pieces.  Errors are reported at the end.  There the file is put
 * in place or deleted, and `file` is freed. */
typedef struct FcFileOut FcFileOut;
FcFileOut *fc_file_begin(int dirfd, const char *path, GError **error);
void fc_file_put(FcFileOut *file, const GString *text);
gboolean fc_file_end(FcFileOut *file, GError **error);
