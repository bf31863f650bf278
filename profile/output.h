/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that a user asked for, such as an export or a sum.  It is written beside the one that it
 * is to replace, and renamed when complete, so that a full disk does not destroy the earlier one.
 * What is no regular file, such as a pipe or a device, is written directly.  A symbolic link is
 * followed to the file to be replaced.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

typedef struct FcOutput FcOutput;

/* Begins a file.  NULL and `error` (the reason alone): it can't be written.  fc_output_end() ends
 * it. */
FcOutput *fc_output_begin(const char *path, GError **error);

/* Returns the stream to write to; it belongs to the output. */
FILE *fc_output_stream(const FcOutput *output);

/* Renames the file if everything was written and `good` is TRUE; otherwise the earlier file stays.
 * Frees the output.  FALSE and `error`: the file was not written. */
gboolean fc_output_end(FcOutput *output, gboolean good, GError **error);
