/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which unit of DWARF answers for an address, and what it says.  gprof's library reads units
 * and learns where they are only as far as it must, and the first that has an answer is
 * heard; so the same is done here, in the same order.  Used by lines.c only.
 */
#pragma once

#include "fcgprof/debug-file.h"
#include "fcgprof/line-funcs.h"
#include "fcgprof/line-table.h"

typedef struct FcGLineUnits FcGLineUnits;

/* What a unit says; either may be NULL. */
typedef struct
{
    const FcGLineRow *row;
    FcGLineFunc *func;
} FcGLineAnswer;

/* Borrows the file's contents; names of files are put into `strings` as constants.  NULL if
 * the file has no DWARF. */
FcGLineUnits *fc_gline_units_new(const FcGImage *image, FcGDebugFile *file, GStringChunk *strings);
void fc_gline_units_free(FcGLineUnits *units);

/* `addr` counts as the debugging information does.  False if no unit has an answer.  `*until`
 * becomes the next address where the answer can be another. */
gboolean fc_gline_units_ask(FcGLineUnits *units, guint64 addr, FcGLineAnswer *answer,
                            guint64 *until);
