/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arcs of the call graph as they are added; what follows from them is in graph.h.
 */
#pragma once

#include "fcgprof/model.h"

/* A set of arcs by their two ends; the caller unrefs it. */
GHashTable *fc_garc_set_new(void);

/* Adds `count` calls to the arc, which is made if it is not there. */
void fc_garc_add(FcGModel *model, FcGSym *parent, FcGSym *child, guint64 count);

/* The arc, or NULL. */
FcGArc *fc_garc_find(const FcGModel *model, const FcGSym *parent, const FcGSym *child);
