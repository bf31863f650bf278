/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See naps.h.
 */
#include "fcmanager/base/naps.h"

#define LEAST_NS 50000
#define VAIN_NS 400000 /* at most, where no messages come */

/* Where some, but less than `few`, messages came in a nap the next one is longer, up to
 * `longest_ns`, and shorter where more than `many` did. */
typedef struct
{
    guint few;
    guint many;
    glong longest_ns;
} NapRule;

/* A chunk is read soon after it was filled, while it is in a cache. */
static const NapRule cached_rule = {2, 1, LEAST_NS};
/* It is in none, and naps are few, as each costs us more than its system calls.  A thread may have
 * 34 chunks in flight, by the default of FC_BUFFER_SIZE. */
static const NapRule streamed_rule = {16, 26, 800000};
/* So often that is halved beside others. */
#define HALVED_BESIDE_OTHERS 2

static const NapRule *find_rule(gboolean is_streamed)
{
    return is_streamed ? &streamed_rule : &cached_rule;
}

static glong find_longest(const FcNaps *naps, const NapRule *rule)
{
    return MAX(rule->longest_ns >> naps->halved, LEAST_NS);
}

void fc_naps_begin(FcNaps *naps, gboolean is_beside_others)
{
    *naps = (FcNaps){LEAST_NS, is_beside_others ? HALVED_BESIDE_OTHERS : 0};
}

void fc_naps_adapt(FcNaps *naps, gboolean is_streamed, gsize came)
{
    const NapRule *rule = find_rule(is_streamed);
    const glong longest_ns = find_longest(naps, rule);
    if (came == 0)
        naps->ns = MIN(2 * naps->ns, VAIN_NS);
    else if (came < rule->few)
        naps->ns = MAX(naps->ns, MIN(2 * naps->ns, longest_ns));
    else
        naps->ns = MIN(came > rule->many ? MAX(naps->ns / 2, LEAST_NS) : naps->ns, longest_ns);
}

void fc_naps_shorten(FcNaps *naps, gboolean is_streamed)
{
    const NapRule *rule = find_rule(is_streamed);
    while (find_longest(naps, rule) > MAX(naps->ns / 2, LEAST_NS))
        naps->halved++;
    naps->ns = MIN(naps->ns, find_longest(naps, rule));
}
