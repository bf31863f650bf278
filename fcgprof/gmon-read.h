/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reader of gmon.out files: GNU's tagged format, the old BSD layout and 4.4BSD's.
 * Takes untrusted bytes; also the target of a fuzzer.
 */
#pragma once

#include "fcgprof/model.h"
#include "gmon/gmon.h"

/* Records found, for -i. */
typedef struct
{
    guint n_hists;
    guint n_arcs;
    guint n_blocks;
} FcGmonCounts;

/* Adds everything in `bytes` to the model.  False and `error` if they are no profile,
 * end early, or do not go with what the model holds; it is of no use then. */
gboolean fc_gmon_parse(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                       const FcGmonLayout *layout, FcGmonCounts *counts, GError **error);

/* Reads the file ("-" is standard input) and prints the text of -i if asked for.  The
 * error's message does not begin with the file's name. */
gboolean fc_gmon_read(FcGModel *model, const char *path, const FcGmonLayout *layout,
                      GError **error);

/* -s: writes the sum of all that was read. */
gboolean fc_gmon_write(FcGModel *model, const char *path, const FcGmonLayout *layout,
                       GError **error);
