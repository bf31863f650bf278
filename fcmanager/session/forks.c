/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Open stacks of forking threads: see forks.h.
 */
#include "fcmanager/session/forks.h"

/* Bounds our memory if children never say hello. */
#define SNAPSHOTS_MAX 1024

typedef struct
{
    guint64 parent;
    guint64 token;
    GArray *frames;
    FcHeapSnapshot *heap;
} Snapshot;

struct FcForks
{
    GQueue *snapshots;    /* Snapshot, oldest first */
    GHashTable *departed; /* key -> FcProcess, owned: dead parents of forks in `snapshots` */
};

static void snapshot_free(Snapshot *snapshot)
{
    if (snapshot->frames)
        g_array_unref(snapshot->frames);
    fc_heap_snapshot_free(snapshot->heap);
    g_free(snapshot);
}

FcForks *fc_forks_new(void)
{
    FcForks *forks = g_new0(FcForks, 1);
    forks->snapshots = g_queue_new();
    forks->departed =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, (GDestroyNotify)fc_process_free);
    return forks;
}

void fc_forks_free(FcForks *forks)
{
    if (!forks)
        return;
    g_queue_free_full(forks->snapshots, (GDestroyNotify)snapshot_free);
    g_hash_table_unref(forks->departed);
    g_free(forks);
}

static gboolean has_children_to_come(const FcForks *forks, guint64 parent)
{
    for (const GList *at = forks->snapshots->head; at; at = at->next)
        if (((const Snapshot *)at->data)->parent == parent)
            return TRUE;
    return FALSE;
}

/* Frees the departed parents that no child can ask for any more. */
static void forget_departed(FcForks *forks)
{
    GHashTableIter iter;
    gpointer process;
    g_hash_table_iter_init(&iter, forks->departed);
    while (g_hash_table_iter_next(&iter, NULL, &process))
        if (!has_children_to_come(forks, ((FcProcess *)process)->key))
            g_hash_table_iter_remove(&iter);
}

void fc_forks_add(FcForks *forks, guint64 parent, guint64 token, GArray *frames,
                  FcHeapSnapshot *heap)
{
    Snapshot *snapshot = g_new(Snapshot, 1);
    *snapshot = (Snapshot){parent, token, frames, heap};
    forget_departed(forks);
    if (g_queue_get_length(forks->snapshots) >= SNAPSHOTS_MAX)
        snapshot_free(g_queue_pop_head(forks->snapshots));
    g_queue_push_tail(forks->snapshots, snapshot);
}

GArray *fc_forks_take(FcForks *forks, guint64 parent, guint64 token, FcHeapSnapshot **heap)
{
    *heap = NULL;
    for (GList *at = forks->snapshots->head; at; at = at->next)
    {
        Snapshot *snapshot = at->data;
        if (snapshot->parent != parent || snapshot->token != token)
            continue;
        GArray *frames = g_steal_pointer(&snapshot->frames);
        *heap = g_steal_pointer(&snapshot->heap);
        snapshot_free(snapshot);
        g_queue_delete_link(forks->snapshots, at);
        return frames;
    }
    return NULL;
}

void fc_forks_parent_gone(FcForks *forks, FcProcess *process)
{
    if (!has_children_to_come(forks, process->key))
    {
        fc_process_free(process);
        return;
    }
    fc_process_shrink(process);
    g_hash_table_insert(forks->departed, &process->key, process);
}

const FcProcess *fc_forks_departed(FcForks *forks, guint64 key)
{
    return g_hash_table_lookup(forks->departed, &key);
}
