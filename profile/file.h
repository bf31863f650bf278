/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole files in and out, for the profile and the descriptor.  Errors are of
 * domain FC_PROFILE_ERROR, code IO; their message is the reason alone.
 */
#pragma once

#include <glib.h>

/* The contents of a file that must begin with `magic`: a file that does not is
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
