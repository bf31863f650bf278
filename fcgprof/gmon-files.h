/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From gmon.out files to the model, and back to gmon.sum.  How the files look is known in gmon/.
 */
#pragma once

#include "fcgprof/model.h"
#include "gmon/gmon.h"

/* Adds everything in `bytes` to the model.  False and `error` if they are no profile,
 * end early, or do not go with what the model holds; it is of no use then. */
gboolean fc_gmodel_add_gmon(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                            const FcGmonLayout *layout, FcGmonContents *contents, GError **error);

/* Reads the file ("-" is standard input) and prints the text of -i if asked for.  The
 * error's message does not begin with the file's name. */
gboolean fc_gmodel_read_gmon(FcGModel *model, const char *path, const FcGmonLayout *layout,
                             GError **error);

/* -s: writes the sum of all that was read.  (gmon-sum.c) */
gboolean fc_gmodel_write_gmon(const FcGModel *model, const char *path, const FcGmonLayout *layout,
                              GError **error);
