/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph: arcs as they are recorded, and what follows from them when all are
 * there.  Pure computation on the model.
 */
#pragma once

#include "fcgprof/model.h"

typedef struct FcGArcTable FcGArcTable;

FcGArcTable *fc_garc_table_new(void);
void fc_garc_table_free(FcGArcTable *table);

/* Adds `count` calls to the arc, which is made if it is not there. */
void fc_garc_add(FcGModel *model, FcGSym *parent, FcGSym *child, guint64 count);

/* The arc, or NULL. */
FcGArc *fc_garc_find(const FcGModel *model, const FcGSym *parent, const FcGSym *child);

/* Records `count` calls seen from the code at `from` to the code at `self`; calls
 * between places that are in no symbol are dropped, so are those that -k, -q and -Q
 * leave out. */
void fc_garc_record(FcGModel *model, guint64 from, guint64 self, guint64 count);

/* Works out cycles, propagated times and the order of the entries. */
void fc_ggraph_assemble(FcGModel *model);

/* Steps of it, for those who have measured times and need not propagate any.  First calls of
 * a function by itself are counted apart.  With the cycles known, it follows from the arcs
 * and the options which entries to print; with all times there, each gets its number. */
void fc_ggraph_take_out_self_arcs(FcGModel *model);
void fc_ggraph_filter(FcGModel *model);
void fc_ggraph_number(FcGModel *model);

/* Finds the cycles and gives each symbol its topological number; symbols of a cycle
 * and its header share one.  (cycles.c) */
void fc_gcycles_find(FcGModel *model);

/* -c: adds arcs with count 0 for the call instructions in the code of `sym`, up to address
 * `end`.  (static-calls.c) */
void fc_gstatic_calls_add(FcGModel *model, FcGSym *sym, guint64 end);

/* Whether the call instructions of the model's image are known, so that -c can find them.
 * (static-calls.c) */
gboolean fc_gstatic_calls_are_known(const FcGModel *model);
