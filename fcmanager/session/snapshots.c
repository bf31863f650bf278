/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See snapshots.h.
 */
#include "fcmanager/session/snapshots.h"

#include "fcmanager/base/memory-limit.h"
#include "fcmanager/session/output.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many children may work at a time. */
#define CHILDREN_MAX 16u

void fc_snapshots_init(FcSnapshots *snapshots)
{
    *snapshots = (FcSnapshots){.children = g_array_new(FALSE, FALSE, sizeof(pid_t))};
}

void fc_snapshots_clear(FcSnapshots *snapshots)
{
    g_clear_pointer(&snapshots->children, g_array_unref);
}

static gint64 us_of(const struct timeval *time)
{
    return (gint64)time->tv_sec * G_USEC_PER_SEC + time->tv_usec;
}

guint fc_snapshots_reap(FcSnapshots *snapshots, gboolean waits)
{
    guint failed = 0;
    for (guint i = snapshots->children->len; i-- > 0;)
    {
        int status = 0;
        struct rusage used;
        pid_t done;
        do
            done = wait4(g_array_index(snapshots->children, pid_t, i), &status, waits ? 0 : WNOHANG,
                         &used);
        while (done < 0 && errno == EINTR);
        if (done == 0)
            continue;
        failed += done > 0 && status != 0;
        if (done > 0)
            snapshots->spent_us += us_of(&used.ru_utime) + us_of(&used.ru_stime);
        g_array_remove_index_fast(snapshots->children, i);
    }
    return failed;
}

/* ---- The child ------------------------------------------------------------------------ */

static void note_unsent(FcProcess *process)
{
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_process_note(process->losses, "unsent-buffers", ((FcThread *)thread)->is_private);
}

static gboolean write_one(const FcSnapshotOrder *order, FcProcess *process, guint64 now)
{
    process->end = FC_END_RUNNING;
    note_unsent(process);
    g_autofree char *reason = fc_memory_limit_reason();
    fc_process_note(process->repairs, "memory-limited", reason != NULL);
    fc_process_finish(process, now, 0, FALSE);
    g_autoptr(FcProfile) profile = fc_output_process(process, order->unique_id);
    return order->write(process, profile, order->data);
}

/* If memory is short the child ends by itself, which the manager notices.  The child must not tell
 * the user that the run's profile is lost. */
static void be_quiet(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
}

/* Writes all profiles of the order, as of `now`.  Returns the exit status. */
static int work(const FcSnapshotOrder *order, const FcSharedCopy *copy, guint64 now)
{
    FcProcessSetup *common = order->common;
    gboolean is_good = TRUE;
    g_log_set_default_handler(be_quiet, NULL);
    order->forked(order->source);
    if (common->shared && !fc_shared_freeze(common->shared, copy))
        return EXIT_FAILURE;
    common->profile_mode = FC_MODE_FORK; /* one profile of all threads, whatever mode the run has */
    for (guint i = 0; i < order->processes->len; i++)
        is_good &= write_one(order, order->processes->pdata[i], now);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- The manager ---------------------------------------------------------------------- */

static GArray *keys_of(const GPtrArray *processes)
{
    GArray *keys = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < processes->len; i++)
        g_array_append_val(keys, ((const FcProcess *)processes->pdata[i])->key);
    return keys;
}

/* Forks a child that does the work.  Returns its pid; -1 and errno: there is none. */
static pid_t fork_child(const FcSnapshotOrder *order, const FcSharedCopy *copy, guint64 now)
{
    FcObserver *observer = order->common->observer;
    FcPcSampler *pc_sampler = order->common->pc_sampler;
    if (observer)
        fc_observer_hold(observer);
    if (pc_sampler)
        fc_pc_sampler_hold(pc_sampler);
    const pid_t child = fork();
    const int why = errno;
    if (pc_sampler)
        fc_pc_sampler_release(pc_sampler);
    if (observer)
        fc_observer_release(observer);
    if (child == 0)
        _exit(work(order, copy, now));
    errno = why;
    return child;
}

gboolean fc_snapshots_take(FcSnapshots *snapshots, const FcSnapshotOrder *order, GError **error)
{
    g_autoptr(GArray) keys = keys_of(order->processes);
    FcSharedMap *shared = order->common->shared;
    fc_snapshots_reap(snapshots, FALSE);
    if (snapshots->children->len >= CHILDREN_MAX)
    {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN, "%u snapshots are still being written",
                    snapshots->children->len);
        return FALSE;
    }
    const gint64 began_us = g_get_monotonic_time();
    guint64 now = 0;
    g_autofree FcSharedCopy *copy = shared ? fc_shared_copy(shared, keys) : NULL;
    fc_clock_now(&order->common->clock, &now);
    const pid_t child = shared && !copy ? -1 : fork_child(order, copy, now);
    const int why = shared && !copy ? ENOMEM : errno;
    if (child < 0)
    {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(why),
                    "the profile manager can't fork: %s", g_strerror(why));
        return FALSE;
    }
    g_array_append_val(snapshots->children, child);
    snapshots->blocked_us = g_get_monotonic_time() - began_us;
    snapshots->blocked_most_us = MAX(snapshots->blocked_most_us, snapshots->blocked_us);
    snapshots->spent_us += snapshots->blocked_us;
    snapshots->taken++;
    return TRUE;
}
