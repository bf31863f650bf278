/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cycles of the call graph.
 */
#pragma once

#include "fcgprof/model.h"

/* Finds the cycles and gives each symbol its topological number; symbols of a cycle
 * and its header share one. */
void fc_gcycles_find(FcGModel *model);
