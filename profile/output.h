/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that a user asked for, of an export or a sum: written beside the one that it is to
 * replace, and put in its place when all of it is there, so that an earlier one outlives a full
 * disk.  What is no regular file, as a pipe or a device, is written to itself; a link leads to what
 * is replaced.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

typedef struct FcOutput FcOutput;

/* NULL and `error`, the reason alone, where it can't be written.  Ended by fc_output_end(). */
FcOutput *fc_output_begin(const char *path, GError **error);

/* The output's own. */
FILE *fc_output_stream(const FcOutput *output);

/* Puts it in place where all was written, `good` where the caller thinks so; else there is what was
 * before.  Frees it. */
gboolean fc_output_end(FcOutput *output, gboolean good, GError **error);
