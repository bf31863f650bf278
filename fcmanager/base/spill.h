/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps records that have to wait for earlier ones outside of the manager's address space, which
 * may be limited: in an anonymous file in memory.  For thread.c.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

typedef struct FcSpill FcSpill;

FcSpill *fc_spill_new(void);
/* NULL is allowed. */
void fc_spill_free(FcSpill *spill);

/* Keeps `count` units of records and sets *at to where they are.  FALSE: there is no room. */
gboolean fc_spill_put(FcSpill *spill, const struct FcUnit *units, guint32 count, guint64 *at);

/* The `count` units that were kept at `at`.  They belong to `spill` and are valid until its next
 * call.  Zeroed if they can't be read any more. */
const struct FcUnit *fc_spill_get(FcSpill *spill, guint64 at, guint32 count);

/* Whether these units came from fc_spill_get. */
gboolean fc_spill_owns(const FcSpill *spill, const struct FcUnit *units);

/* Nothing that was kept is needed any more. */
void fc_spill_empty(FcSpill *spill);
