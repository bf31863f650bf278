/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See process-waits.h.
 */
#include "fcmanager/session/process-waits.h"

#include "fcmanager/session/proc-thread.h"

/* A look takes some 20 us: of all processes together so many are made at a time. */
#define ROUND_US 100000
#define LOOKS_MOST 16u

/* At most so many, which become fewer. */
static void look_at(FcProcess *process, guint *looks)
{
    if (*looks == 0 || process->finished || process->executing || !fc_process_is_in_proc(process))
        return;
    const guint turns = (g_hash_table_size(process->threads) + *looks - 1) / *looks;
    const guint turn = turns > 1 ? process->look_rounds++ % turns : 0;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, process->threads);
    while (*looks > 0 && g_hash_table_iter_next(&iter, NULL, &value))
    {
        FcThread *thread = value;
        guint64 ahead_ns;
        guint64 time;
        if ((turns > 1 && thread->number % turns != turn) || thread->tid == 0)
            continue;
        (*looks)--;
        if (!fc_proc_thread_read(process->hello.pid, thread->tid, &thread->name, &ahead_ns) ||
            !fc_clock_now(&process->setup->clock, &time))
            continue;
        thread->looked_ahead = ahead_ns;
        thread->looked_time = time;
    }
}

void fc_process_look_at_waits(GHashTable *processes, FcProcessLooks *looks)
{
    const gint64 now_us = g_get_monotonic_time();
    guint left = LOOKS_MOST;
    if (now_us - looks->time_us < ROUND_US)
        return;
    looks->time_us = now_us;
    const guint count = g_hash_table_size(processes);
    g_autoptr(GList) all = g_hash_table_get_values(processes);
    GList *at = g_list_nth(all, count > 0 ? looks->turn % count : 0);
    for (guint i = 0; i < count && left > 0; i++, looks->turn++)
    {
        look_at(at->data, &left);
        at = at->next ? at->next : all;
    }
}
