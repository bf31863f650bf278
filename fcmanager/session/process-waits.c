/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See process-waits.h.
 */
#include "fcmanager/session/process-waits.h"

#include "fcmanager/session/proc-thread.h"

/* A sample takes about 30 us, of a wait that was not seen before some 40 us, and one round takes at
 * most SAMPLES_MOST of all processes together: with ROUND_MOST_US that is 0.5% of a processor, with
 * ROUND_LEAST_US 5%, so that a short run has samples.  In between a round comes after 1/ROUND_PART
 * of the time since the first one. */
#define ROUND_LEAST_US 10000.0
#define ROUND_MOST_US 100000.0
#define ROUND_PART 50.0
#define SAMPLES_MOST 16u

/* Samples at most *left threads, and subtracts their number from *left. */
static void sample_threads(FcProcess *process, guint *left)
{
    if (*left == 0 || process->finished || process->executing || !fc_process_is_in_proc(process))
        return;
    const guint turns = (g_hash_table_size(process->threads) + *left - 1) / *left;
    const guint turn = turns > 1 ? process->sampling_rounds++ % turns : 0;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, process->threads);
    while (*left > 0 && g_hash_table_iter_next(&iter, NULL, &value))
    {
        FcThread *thread = value;
        FcProcThread found;
        if ((turns > 1 && thread->number % turns != turn) || thread->tid == 0)
            continue;
        (*left)--;
        fc_process_sample_thread(process, thread, FALSE, &found);
    }
}

/* Returns a random interval between 0.5 and 1.5 times the mean, so that samples do not keep pace
 * with a periodic program. */
static gint64 next_round_us(const FcWaitSampling *sampling, gint64 now_us)
{
    const double age_us = (double)(now_us - sampling->begun_us);
    const double mean_us = CLAMP(age_us / ROUND_PART, ROUND_LEAST_US, ROUND_MOST_US);
    return now_us + (gint64)(mean_us * g_random_double_range(0.5, 1.5));
}

static void sample_processes(GHashTable *processes, FcWaitSampling *sampling)
{
    guint left = SAMPLES_MOST;
    const guint count = g_hash_table_size(processes);
    g_autoptr(GList) all = g_hash_table_get_values(processes);
    GList *at = g_list_nth(all, count > 0 ? sampling->turn % count : 0);
    for (guint i = 0; i < count && left > 0; i++, sampling->turn++)
    {
        sample_threads(at->data, &left);
        at = at->next ? at->next : all;
    }
}

guint fc_process_sample_waits(GHashTable *processes, FcWaitSampling *sampling)
{
    const gint64 now_us = g_get_monotonic_time();
    if (sampling->begun_us == 0)
        sampling->begun_us = now_us;
    if (now_us >= sampling->next_us)
    {
        sample_processes(processes, sampling);
        sampling->next_us = next_round_us(sampling, now_us);
    }
    return (guint)((sampling->next_us - now_us) / 1000) + 1;
}
