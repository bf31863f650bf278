/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See process-waits.h.
 */
#include "fcmanager/process-waits.h"

#include "fcmanager/last-wait.h"

#define ROUND_US 100000
/* A look takes some 20 us: of many threads so many have their turn in a round. */
#define LOOKS_MOST 16u

void fc_process_look_at_waits(FcProcess *process)
{
    const gint64 now_us = g_get_monotonic_time();
    if (process->finished || process->executing || !fc_process_is_in_proc(process) ||
        now_us - process->looked_us < ROUND_US)
        return;
    process->looked_us = now_us;
    const guint turns = (g_hash_table_size(process->threads) + LOOKS_MOST - 1) / LOOKS_MOST;
    const guint turn = turns > 1 ? process->look_rounds++ % turns : 0;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        FcThread *thread = value;
        guint64 ahead_ns;
        guint64 time;
        if ((turns > 1 && thread->number % turns != turn) || thread->tid == 0 ||
            !fc_last_wait_read(process->hello.pid, thread->tid, &ahead_ns) ||
            !fc_clock_now(&process->setup->clock, &time))
            continue;
        thread->looked_ahead = ahead_ns;
        thread->looked_time = time;
    }
}
