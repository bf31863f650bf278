/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph of a gmon.out file: calls are recorded one by one, and what follows from them
 * is worked out when all are there.  Pure computation on the model.
 */
#pragma once

#include "fcgprof/model.h"

/* Records `count` calls seen from the code at `from` to the code at `self`; calls
 * between places that are in no symbol are dropped, so are those that -k, -q and -Q
 * leave out. */
void fc_ggraph_record(FcGModel *model, guint64 from, guint64 self, guint64 count);

/* Works out cycles, propagated times and the order of the entries. */
void fc_ggraph_assemble(FcGModel *model);

/* Steps of it, for those who have measured times and need not propagate any.  First calls of
 * a function by itself are counted apart.  With the cycles known, it follows from the arcs
 * and the options which entries to print; with all times there, each gets its number. */
void fc_ggraph_take_out_self_arcs(FcGModel *model);
void fc_ggraph_filter(FcGModel *model);
void fc_ggraph_number(FcGModel *model);

/* Finds the cycles and gives each symbol its topological number; symbols of a cycle
 * and its header share one. */
void fc_gcycles_find(FcGModel *model);
