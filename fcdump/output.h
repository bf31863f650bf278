/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of an export: written beside the one that it is to replace, and put in its place when
 * all of it is there, so that an earlier one outlives a full disk.  What is no regular file, as a
 * pipe or a device, is written to itself; a link leads to what is replaced.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

typedef struct FcOutput FcOutput;

/* NULL and `error`, the reason alone, where it can't be written, or is not to be: see
 * fc_export_may_write().  Ended by fc_output_end(). */
FcOutput *fc_output_begin(const char *path, GError **error);

/* The output's own. */
FILE *fc_output_stream(const FcOutput *output);

/* Puts it in place where all was written, `good` where the caller thinks so; else there is what was
 * before.  Frees it. */
gboolean fc_output_end(FcOutput *output, gboolean good, GError **error);
