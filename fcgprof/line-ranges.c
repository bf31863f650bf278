/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sorts, finds and counts ranges of units.  See line-ranges.h.
 */
#include "fcgprof/line-ranges.h"

static int compare_starts(const void *a, const void *b)
{
    const FcGLineRange *left = a, *right = b;

    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->unit < right->unit ? -1 : left->unit > right->unit;
}

void fc_gline_ranges_sort(GArray *ranges)
{
    guint64 max_high = 0;

    g_array_sort(ranges, compare_starts);
    for (guint i = 0; i < ranges->len; i++)
    {
        FcGLineRange *range = &g_array_index(ranges, FcGLineRange, i);

        max_high = MAX(max_high, range->high);
        range->max_high = max_high;
    }
}

guint fc_gline_ranges_upto(const GArray *ranges, guint64 addr)
{
    guint low = 0, high = ranges->len;

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (g_array_index(ranges, FcGLineRange, middle).low <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int compare_times(const void *a, const void *b)
{
    const FcGLineRange *left = a, *right = b;

    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Lets one of the first `n` claims take `claim` in, if both are of one unit and touch. */
static gboolean join(FcGLineRange *claims, guint n, const FcGLineRange *claim)
{
    for (guint i = 0; i < n; i++)
    {
        if (claims[i].unit != claim->unit || claim->low > claims[i].high ||
            claims[i].low > claim->high)
            continue;
        claims[i].low = MIN(claims[i].low, claim->low);
        claims[i].high = MAX(claims[i].high, claim->high);
        return TRUE;
    }
    return FALSE;
}

gboolean fc_gline_ranges_are_crowd(GArray *claims)
{
    FcGLineRange *all = (FcGLineRange *)(void *)claims->data;
    guint n = 0;

    if (claims->len <= FC_GLINE_CROWD_MAX)
        return FALSE;
    g_array_sort(claims, compare_times);
    /* The table is divided when it gets one too many; what joins later is of no help. */
    for (guint i = 0; i < claims->len && n <= FC_GLINE_CROWD_MAX; i++)
    {
        if (!join(all, n, &all[i]))
            all[n++] = all[i];
    }
    return n > FC_GLINE_CROWD_MAX;
}
