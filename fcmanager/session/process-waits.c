/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See process-waits.h.
 */
#include "fcmanager/session/process-waits.h"

#include "fcmanager/session/proc-thread.h"

/* A sample takes some 20 us.  One round takes SAMPLES_MOST of all processes together. */
#define ROUND_US 100000
#define SAMPLES_MOST 16u

/* Takes *left samples at most, and subtracts those that it took. */
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
        guint64 ahead_ns;
        guint64 time;
        if ((turns > 1 && thread->number % turns != turn) || thread->tid == 0)
            continue;
        (*left)--;
        if (!fc_proc_thread_read(process->hello.pid, thread->tid, &thread->name, &ahead_ns) ||
            !fc_clock_now(&process->setup->clock, &time))
            continue;
        thread->sampled_ahead = ahead_ns;
        thread->sampled_time = time;
    }
}

void fc_process_sample_waits(GHashTable *processes, FcWaitSampling *sampling)
{
    const gint64 now_us = g_get_monotonic_time();
    guint left = SAMPLES_MOST;
    if (now_us - sampling->time_us < ROUND_US)
        return;
    sampling->time_us = now_us;
    const guint count = g_hash_table_size(processes);
    g_autoptr(GList) all = g_hash_table_get_values(processes);
    GList *at = g_list_nth(all, count > 0 ? sampling->turn % count : 0);
    for (guint i = 0; i < count && left > 0; i++, sampling->turn++)
    {
        sample_threads(at->data, &left);
        at = at->next ? at->next : all;
    }
}
