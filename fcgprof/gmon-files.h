/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From gmon.out files to the model, and back to gmon.sum; their histograms of program counter
 * samples, and the credit that these give to symbols.
 */
#pragma once

#include "fcgprof/model.h"

/* Records found. */
typedef struct
{
    guint version; /* of the tagged format */
    guint n_hists;
    guint n_arcs;
    guint n_blocks;
} FcGmonContents;

/* Adds everything in `bytes` to the model.  False and `error` if they are no profile,
 * end early, or do not go with what the model holds; it is of no use then. */
gboolean fc_gmodel_add_gmon(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                            const FcGmonLayout *layout, FcGmonContents *contents, GError **error);

/* Reads the file ("-" is standard input) and prints the text of -i if asked for.  The
 * error's message does not begin with the file's name. */
gboolean fc_gmodel_read_gmon(FcGModel *model, const char *path, const FcGmonLayout *layout,
                             GError **error);

/* -s: writes the sum of all that was read. */
gboolean fc_gmodel_write_gmon(const FcGModel *model, const char *path, const FcGmonLayout *layout,
                              GError **error);

/* ---- Histograms (hist.c) ------------------------------------------------------------- */

/* The histogram of the model that samples of `header` belong to, made if there is none yet; if
 * `is_old` the one that files in the old layouts have.  NULL and `error` if it does not go with
 * those that are there. */
FcGmonHist *fc_ghist_declare(FcGModel *model, const FcGmonHist *header, gboolean is_old,
                             GError **error);

/* Shares all samples out to the symbols and sums them up. */
void fc_ghist_assign(FcGModel *model);

/* Bytes of code that one sample stands for, as the reports state it. */
glong fc_ghist_sample_bytes(const FcGModel *model);
