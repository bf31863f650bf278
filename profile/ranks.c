/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of the ranks in merged profiles: see fc-profile.h.
 */
#include "profile/field.h"

static FcProfileSpread spread_of(guint64 value, gint64 rank, gboolean is_chosen)
{
    return (FcProfileSpread){.sum = value,
                             .least = value,
                             .most = value,
                             .most_rank = rank,
                             .squares = fc_square_of(value),
                             .chosen = is_chosen ? value : 0};
}

static void add_record(GArray *records, guint of, guint64 calls, const FcProfileTimes *times,
                       gint64 rank, gboolean is_chosen)
{
    const guint64 local_ns = times->local_ns - MIN(times->local_wait_ns, times->local_ns);
    const guint64 total_ns = times->total_ns - MIN(times->total_wait_ns, times->total_ns);
    if (calls == 0 && total_ns == 0)
        return;
    const FcProfileRanks record = {.of = of,
                                   .ranks = 1,
                                   .calls = spread_of(calls, rank, is_chosen),
                                   .local = spread_of(local_ns, rank, is_chosen),
                                   .total = spread_of(total_ns, rank, is_chosen)};
    g_array_append_val(records, record);
}

void fc_profile_begin_ranks(FcProfile *profile, gint64 rank, gboolean is_chosen)
{
    if (profile->ranks > 0)
        return;
    profile->ranks = 1;
    profile->distinct = 0;
    profile->merged_threads = profile->threads->len;
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *from = &g_array_index(profile->functions, FcProfileFunction, i);
        add_record(profile->rank_functions, i, from->calls, &from->times, rank, is_chosen);
    }
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        const FcProfileContext *from = &g_array_index(profile->contexts, FcProfileContext, i);
        add_record(profile->rank_contexts, i, from->calls, &from->times, rank, is_chosen);
    }
}

/* Merges all but the sum and the squares, which the table of table.h adds.  If several ranks have
 * the same maximum, the lowest rank is kept, so that the order of merging makes no difference. */
static void add_spread(FcProfileSpread *into, const FcProfileSpread *other)
{
    into->least = MIN(into->least, other->least);
    if (other->most > into->most)
        into->most_rank = other->most_rank;
    else if (other->most == into->most)
        into->most_rank = MIN(into->most_rank, other->most_rank);
    into->most = MAX(into->most, other->most);
    fc_field_add(&into->chosen, other->chosen);
}

void fc_profile_add_ranks(FcProfileRanks *into, const FcProfileRanks *other)
{
    add_spread(&into->calls, &other->calls);
    add_spread(&into->local, &other->local);
    add_spread(&into->total, &other->total);
}

void fc_profile_fold_threads(FcProfile *profile)
{
    if (profile->threads->len == 0)
        return;
    FcProfileThread all = {.functions = fc_array_new(FC_ARRAY_THREAD_FUNCTIONS),
                           .stack = fc_array_new(FC_ARRAY_THREAD_STACK),
                           .name = g_strdup("(all threads)"),
                           .ended = TRUE};
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        fc_field_add(&all.run_ns, thread->run_ns);
        fc_field_add(&all.calls, thread->calls);
        fc_field_add(&all.wait_ns, thread->wait_ns);
        fc_field_add(&all.preempted_ns, thread->preempted_ns);
        fc_field_add(&all.manager_ns, thread->manager_ns);
        all.waits = MAX(all.waits, thread->waits);
        all.end_ns = MAX(all.end_ns, thread->end_ns);
    }
    g_array_set_size(profile->threads, 0);
    g_array_append_val(profile->threads, all);
}
