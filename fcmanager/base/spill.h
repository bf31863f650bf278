/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records that a thread's order holds back, out of the manager's address space, which may be
 * limited: in a file without a name in memory.  For thread.c.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

typedef struct FcSpill FcSpill;

FcSpill *fc_spill_new(void);
/* NULL is allowed. */
void fc_spill_free(FcSpill *spill);

/* Keeps `count` units of records; sets where they are.  FALSE: there is no room for them. */
gboolean fc_spill_put(FcSpill *spill, const struct FcUnit *units, guint32 count, guint64 *at);

/* The `count` units that were kept `at`; owned by `spill`, until its next call.  Zeroed where
 * they can't be read any more. */
const struct FcUnit *fc_spill_get(FcSpill *spill, guint64 at, guint32 count);

/* Whether these units came from fc_spill_get. */
gboolean fc_spill_owns(const FcSpill *spill, const struct FcUnit *units);

/* Nothing that was kept is wanted any more. */
void fc_spill_empty(FcSpill *spill);
