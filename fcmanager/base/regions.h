/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory that a program announced as stacks beside its threads' own: of coroutines, of
 * signal handlers.  Owned by process.c, looked at by stack.c.
 */
#pragma once

#include <glib.h>

typedef struct
{
    guint64 start; /* addresses [start, end) */
    guint64 end;
} FcRegion;

typedef struct FcRegions FcRegions;

FcRegions *fc_regions_new(void);
FcRegions *fc_regions_copy(const FcRegions *regions);
void fc_regions_free(FcRegions *regions);

/* Takes the place of all regions that it overlaps: their memory was freed and used again.
 * An empty one is ignored. */
void fc_regions_add(FcRegions *regions, guint64 start, guint64 end);

/* Fills in `region` with the one that holds `address`; FALSE where none does. */
gboolean fc_regions_find(const FcRegions *regions, guint64 address, FcRegion *region);

/* Whether any of them has memory in common with [start, end). */
gboolean fc_regions_overlap(const FcRegions *regions, guint64 start, guint64 end);
