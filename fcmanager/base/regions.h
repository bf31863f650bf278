/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory that a program announced as stacks of coroutines and of signal handlers, beside its
 * threads' own stacks.  Owned by process.c, read by stack.c.
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

/* Adds a region and removes all that it overlaps: their memory was freed and is used again.  An
 * empty region is ignored. */
void fc_regions_add(FcRegions *regions, guint64 start, guint64 end);

/* Sets *region to the one that contains `address`.  FALSE: there is none. */
gboolean fc_regions_find(const FcRegions *regions, guint64 address, FcRegion *region);

/* Whether any region overlaps [start, end). */
gboolean fc_regions_overlap(const FcRegions *regions, guint64 start, guint64 end);
