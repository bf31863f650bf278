/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole files in and out, for the profile and the descriptor.  Errors are of
 * domain FC_PROFILE_ERROR, code IO; their message is the reason alone.
 */
#pragma once

#include <glib.h>

/* A file that is read from its start to its end, once.  `size`: its bytes, 0 where it has no size,
 * as a pipe.  The caller closes it. */
typedef struct
{
    int fd;
    guint64 size;
    guint64 done; /* bytes read so far */
} FcFileIn;

gboolean fc_file_open(FcFileIn *file, const char *path, GError **error);
/* As much as there is, up to `room` bytes; 0 at the end, -1 with `error`. */
gssize fc_file_next(FcFileIn *file, char *into, gsize room, GError **error);
void fc_file_close(FcFileIn *file);

/* The contents of a small file that must begin with `magic`: a file that does not is
 * read no further than that shows, and *bytes is then short.  Free with g_free. */
char *fc_file_read(const char *path, const char *magic, gsize *bytes, GError **error);

/* See fc_profile_write. */
gboolean fc_file_replace(int dirfd, const char *path, const GString *text, GError **error);

/* The same for a text in pieces, one after the other.  What goes wrong with one is told at the
 * end, where the file is put in place, or taken away, and `file` freed. */
typedef struct FcFileOut FcFileOut;
FcFileOut *fc_file_begin(int dirfd, const char *path, GError **error);
void fc_file_put(FcFileOut *file, const GString *text);
gboolean fc_file_end(FcFileOut *file, GError **error);
