/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Divides numbers of calls and ticks without losing any: see counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"

/* What was rounded off the part of one. */
typedef struct
{
    unsigned __int128 remainder;
    guint index;
} Remainder;

static gboolean is_before(const Remainder *one, const Remainder *other)
{
    if (one->remainder != other->remainder)
        return one->remainder > other->remainder;
    return one->index < other->index;
}

/* Puts the `wanted` largest in front, in any order (Hoare's selection). */
static void select_largest(Remainder *rest, guint count, guint wanted)
{
    guint low = 0;
    guint high = count;
    while (high - low > 1 && wanted > low && wanted < high)
    {
        const Remainder pivot = rest[low + (high - low - 1) / 2];
        guint i = low;
        guint j = high - 1;
        for (;;)
        {
            while (is_before(&rest[i], &pivot))
                i++;
            while (is_before(&pivot, &rest[j]))
                j--;
            if (i >= j)
                break;
            const Remainder swapped = rest[i];
            rest[i++] = rest[j];
            rest[j--] = swapped;
        }
        /* what is up to j comes before what is behind it; neither is all, as all are different */
        if (wanted <= j)
            high = j + 1;
        else
            low = j + 1;
    }
}

/* The part of `amount` that `weight` of `sum` gets; what is rounded off goes to `remainder`. */
static guint64 part_of(guint64 amount, guint64 weight, unsigned __int128 sum,
                       unsigned __int128 *remainder)
{
    const unsigned __int128 product = (unsigned __int128)amount * weight;
    const guint64 small = (guint64)product;
    if (small == product && sum <= G_MAXUINT64) /* nearly always, and a tenth of the work */
    {
        *remainder = small % (guint64)sum;
        return small / (guint64)sum;
    }
    *remainder = product % sum;
    return (guint64)(product / sum);
}

void fc_attribution_divide(guint64 amount, const guint64 *weights, guint count, guint64 *parts)
{
    unsigned __int128 sum = 0;
    for (guint i = 0; i < count; i++)
        sum += weights[i];
    const gboolean alike = sum == 0;
    if (alike)
        sum = count;
    g_autofree Remainder *rest = g_new(Remainder, count);
    guint64 left = amount;
    for (guint i = 0; i < count; i++)
    {
        rest[i].index = i;
        parts[i] = part_of(amount, alike ? 1 : weights[i], sum, &rest[i].remainder);
        left -= parts[i];
    }
    select_largest(rest, count, (guint)MIN(left, count));
    for (guint i = 0; i < count && left > 0; i++, left--)
        parts[rest[i].index]++;
}
