/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps records that have to wait for earlier ones.  They are in an anonymous file in memory, so
 * they take nothing of the manager's address space, which may be limited.  Used by thread.c; by
 * one thread at a time.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

typedef struct FcSpill FcSpill;

/* Never NULL.  The caller frees it. */
FcSpill *fc_spill_new(void);
/* NULL is allowed. */
void fc_spill_free(FcSpill *spill);

/* Copies `count` units to the file and sets *at to where they are.  FALSE: there is no room. */
gboolean fc_spill_put(FcSpill *spill, const struct FcUnit *units, guint32 count, guint64 *at);

/* The `count` units that were kept at `at`; zeros if they can't be read.  They belong to `spill`
 * and are valid until the next fc_spill_get. */
const struct FcUnit *fc_spill_get(FcSpill *spill, guint64 at, guint32 count);

/* Whether these units came from fc_spill_get. */
gboolean fc_spill_owns(const FcSpill *spill, const struct FcUnit *units);

/* Drops all that was kept. */
void fc_spill_empty(FcSpill *spill);
