/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sorted array of ranges that do not overlap.
 */
#include "fcmanager/base/regions.h"

#include "profile/search.h"

struct FcRegions
{
    GArray *sorted; /* FcRegion */
};

FcRegions *fc_regions_new(void)
{
    FcRegions *regions = g_new0(FcRegions, 1);
    regions->sorted = g_array_new(FALSE, FALSE, sizeof(FcRegion));
    return regions;
}

FcRegions *fc_regions_copy(const FcRegions *regions)
{
    FcRegions *copy = g_new0(FcRegions, 1);
    copy->sorted = g_array_copy(regions->sorted);
    return copy;
}

void fc_regions_free(FcRegions *regions)
{
    if (!regions)
        return;
    g_array_unref(regions->sorted);
    g_free(regions);
}

/* Index of the first region that ends behind `address`. */
static guint find_end(const FcRegions *regions, guint64 address)
{
    return (guint)FC_FIRST_WHERE(regions->sorted->len, i,
                                 g_array_index(regions->sorted, FcRegion, i).end > address);
}

void fc_regions_add(FcRegions *regions, guint64 start, guint64 end)
{
    if (start >= end)
        return;
    guint first = find_end(regions, start);
    guint last = first;
    while (last < regions->sorted->len &&
           g_array_index(regions->sorted, FcRegion, last).start < end)
        last++;
    if (last > first)
        g_array_remove_range(regions->sorted, first, last - first);
    FcRegion region = {start, end};
    g_array_insert_val(regions->sorted, first, region);
}

gboolean fc_regions_find(const FcRegions *regions, guint64 address, FcRegion *region)
{
    guint index = find_end(regions, address);
    if (index == regions->sorted->len)
        return FALSE;
    *region = g_array_index(regions->sorted, FcRegion, index);
    return region->start <= address;
}

gboolean fc_regions_overlap(const FcRegions *regions, guint64 start, guint64 end)
{
    guint index = find_end(regions, start);
    return index < regions->sorted->len &&
           g_array_index(regions->sorted, FcRegion, index).start < end;
}
