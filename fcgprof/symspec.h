/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Symbol specifications ("[FILE:]NAME", "[FILE:]LINE", two of them with a slash
 * between for arcs), resolved to address ranges in one table for each use.
 */
#pragma once

#include "fcgprof/model.h"

/* Half of a specification; members that say nothing are NULL or 0. */
typedef struct
{
    char *file;
    char *name;
    int line;
} FcGPattern;

void fc_gpattern_clear(FcGPattern *pattern);

/* Splits at the first slash; true if there was one (`right` is set then).  Never fails: every text
 * means something.  The caller clears the patterns. */
gboolean fc_gspec_parse(const char *text, FcGPattern *left, FcGPattern *right);

/* Resolves all the options' specifications against the model's symbols. */
FcGSpecs *fc_gspecs_new(FcGModel *model);
void fc_gspecs_free(FcGSpecs *specs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGSpecs, fc_gspecs_free)

/* Whether `addr` lies in a range of the table. */
gboolean fc_gspecs_has(const FcGSpecs *specs, FcGTable table, guint64 addr);

/* In the inclusions; or these are empty and it is not in the exclusions, the table behind them. */
gboolean fc_gspecs_selects(const FcGSpecs *specs, FcGTable inclusions, guint64 addr);

/* The same of what a caller hands down, if `is_inherited`: then it takes an exclusion to stop it.
 */
gboolean fc_gspecs_keeps(const FcGSpecs *specs, FcGTable inclusions, guint64 addr,
                         gboolean is_inherited);

/* The same of an arc from `parent` to `child`. */
gboolean fc_gspecs_selects_arc(const FcGSpecs *specs, const FcGSym *parent, const FcGSym *child);
