/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the call sites of a profile tell: whether a call came straight from its caller, by
 * way of a function that is not profiled, or was inlined.  Called by load.c alone; fills in
 * the model's members on call sites; never prints.
 */
#pragma once

#include "model/model.h"

/* `keys` has the symbol key of each profiled function.  The call sites for the graph, one
 * for each arc of the profile; the caller owns them. */
FcCallSite *fc_callsites_resolve(FcModel *model, GHashTable *keys);
