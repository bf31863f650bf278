/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See poll-interval.h.
 */
#include "fcmanager/base/poll-interval.h"

#define LEAST_NS 50000
#define VAIN_NS 400000 /* the longest interval while no messages come */

/* If some messages came, but fewer than `few`, the next interval is longer, by `longest_ns` at
 * most.  If more than `many` came, it is shorter. */
typedef struct
{
    guint few;
    guint many;
    glong longest_ns;
} IntervalRule;

/* If filled chunks are in a cache, they should be read while they are, so intervals are short. */
static const IntervalRule cached_rule = {2, 1, LEAST_NS};
/* If they are in no cache, intervals are long, since each wake-up of the manager costs it time.
 * By the default of FC_BUFFER_SIZE a thread may have 34 chunks that were not read yet. */
static const IntervalRule streamed_rule = {16, 26, 800000};
/* How often the longest interval is halved from the start if there are other processes. */
#define HALVED_BESIDE_OTHERS 2

static const IntervalRule *find_rule(gboolean is_streamed)
{
    return is_streamed ? &streamed_rule : &cached_rule;
}

static glong find_longest(const FcPollInterval *interval, const IntervalRule *rule)
{
    return MAX(rule->longest_ns >> interval->halved, LEAST_NS);
}

void fc_poll_interval_begin(FcPollInterval *interval, gboolean is_beside_others)
{
    *interval = (FcPollInterval){LEAST_NS, is_beside_others ? HALVED_BESIDE_OTHERS : 0};
}

void fc_poll_interval_adapt(FcPollInterval *interval, gboolean is_streamed, gsize came)
{
    const IntervalRule *rule = find_rule(is_streamed);
    const glong longest_ns = find_longest(interval, rule);
    if (came == 0)
        interval->ns = MIN(2 * interval->ns, VAIN_NS);
    else if (came < rule->few)
        interval->ns = MAX(interval->ns, MIN(2 * interval->ns, longest_ns));
    else
        interval->ns =
            MIN(came > rule->many ? MAX(interval->ns / 2, LEAST_NS) : interval->ns, longest_ns);
}

void fc_poll_interval_shorten(FcPollInterval *interval, gboolean is_streamed)
{
    const IntervalRule *rule = find_rule(is_streamed);
    while (find_longest(interval, rule) > MAX(interval->ns / 2, LEAST_NS))
        interval->halved++;
    interval->ns = MIN(interval->ns, find_longest(interval, rule));
}
