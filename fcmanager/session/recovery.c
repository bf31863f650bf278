/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See recovery.h.
 */
#include "fcmanager/session/recovery.h"

#include "fcmanager/session/pauses.h"

/* A run that is shorter than this has no such file: with many contexts it takes some 60 ms of a
 * processor to write one.  It is also the shortest time between two. */
#define FIRST_US (1000 * 1000)
/* The file lacks at most this part of the run, ... */
#define PART_LACKING 10
/* ... and no more than the last ten minutes, ... */
#define LACKING_MOST_US (INT64_C(600) * 1000 * 1000)
/* ... unless writing it would then take more than this part of a processor. */
#define PART_SPENT 100
/* Chunks, 8 MiB, and some for each thread: a child copies no more than these.  A manager that is
 * behind the threads by more reads first, ... */
#define COPIED_MOST 128u
#define COPIED_THREAD 4u
/* ... and looks again after this time. */
#define AGAIN_US (20 * 1000)

void fc_recovery_init(FcRecovery *recovery)
{
    const gint64 now_us = g_get_monotonic_time();
    *recovery = (FcRecovery){.began_us = now_us, .next_us = now_us + FIRST_US};
    fc_snapshots_init(&recovery->snapshots);
}

void fc_recovery_clear(FcRecovery *recovery)
{
    fc_snapshots_clear(&recovery->snapshots);
}

/* Forgets the child if it has ended, and sets when the next one is due. */
static void reap(FcRecovery *recovery, gboolean waits)
{
    FcSnapshots *snapshots = &recovery->snapshots;
    if (snapshots->children->len == 0)
        return;
    fc_snapshots_reap(snapshots, waits);
    if (snapshots->children->len > 0)
        return;
    const gint64 cost_us = snapshots->spent_us - recovery->spent_us;
    const gint64 lacking_us = (recovery->taken_us - recovery->began_us) / PART_LACKING;
    recovery->next_us = recovery->taken_us +
                        MAX(CLAMP(lacking_us, FIRST_US, LACKING_MOST_US), cost_us * PART_SPENT);
}

void fc_recovery_wait(FcRecovery *recovery)
{
    reap(recovery, TRUE);
}

static FcProcess *oldest(GHashTable *processes)
{
    FcProcess *found = NULL;
    GHashTableIter iter;
    gpointer process;
    g_hash_table_iter_init(&iter, processes);
    while (g_hash_table_iter_next(&iter, NULL, &process))
        if (!((FcProcess *)process)->finished &&
            (!found || ((FcProcess *)process)->order < found->order))
            found = process;
    return found;
}

/* Whether the threads have stored more than the manager may copy. */
static gboolean is_behind(GHashTable *processes, const FcSharedMap *shared)
{
    guint most = COPIED_MOST;
    guint32 all = 0;
    GHashTableIter iter;
    gpointer process;
    g_hash_table_iter_init(&iter, processes);
    while (g_hash_table_iter_next(&iter, NULL, &process))
        most += COPIED_THREAD * g_hash_table_size(((FcProcess *)process)->threads);
    return shared && fc_shared_count_used(shared, &all) > most;
}

static gboolean write_early(FcProcess *process, FcProfile *profile, gpointer data)
{
    fc_pauses_apply(process, profile);
    return fc_files_write_early(data, profile);
}

void fc_recovery_round(FcRecovery *recovery, GHashTable *processes, FcSnapshotOrder *order,
                       FcFiles *files)
{
    g_autoptr(GPtrArray) one = g_ptr_array_new();
    reap(recovery, FALSE);
    if (recovery->snapshots.children->len > 0 || g_get_monotonic_time() < recovery->next_us)
        return;
    FcProcess *process = oldest(processes);
    if (!process || !process->executable)
        return;
    if (is_behind(processes, order->common->shared))
    {
        recovery->next_us = g_get_monotonic_time() + AGAIN_US;
        return;
    }
    recovery->taken_us = g_get_monotonic_time();
    recovery->next_us = recovery->taken_us + LACKING_MOST_US; /* if there is no child to reap */
    recovery->spent_us = recovery->snapshots.spent_us;
    g_ptr_array_add(one, process);
    order->processes = one;
    order->write = write_early;
    order->data = files;
    fc_files_begin_early(files, process->hello.pid, process->executable);
    fc_snapshots_take(&recovery->snapshots, order, NULL);
}
