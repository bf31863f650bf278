/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The choice of blocks for a list: see leaks.h.
 */
#include "fcmanager/heap/leaks.h"

/* The best of the blocks that were offered: a binary heap whose root is the worst of them. */
typedef struct
{
    gpointer *blocks;
    guint room;
    guint used;
} Best;

/* The blocks chosen of one allocation site. */
typedef struct
{
    guint count; /* how many blocks the site has */
    guint quota;
    Best largest;
    Best first; /* the first allocated of the blocks that are not among the largest */
} Share;

typedef gboolean (*Better)(const FcHeapBlock *a, const FcHeapBlock *b);

static gboolean is_earlier(const FcHeapBlock *a, const FcHeapBlock *b)
{
    return a->time != b->time ? a->time < b->time : a->pointer < b->pointer;
}

static gboolean is_larger(const FcHeapBlock *a, const FcHeapBlock *b)
{
    return a->size_bytes != b->size_bytes ? a->size_bytes > b->size_bytes : is_earlier(a, b);
}

static void swap(Best *best, guint a, guint b)
{
    gpointer block = best->blocks[a];
    best->blocks[a] = best->blocks[b];
    best->blocks[b] = block;
}

/* Whether the block at `a` must be nearer to the root than the block at `b`. */
static gboolean is_worse(const Best *best, guint a, guint b, Better better)
{
    return better(best->blocks[b], best->blocks[a]);
}

static void sink_root(Best *best, Better better)
{
    for (guint at = 0, child; (child = 2 * at + 1) < best->used; at = child)
    {
        if (child + 1 < best->used && is_worse(best, child + 1, child, better))
            child++;
        if (!is_worse(best, child, at, better))
            return;
        swap(best, at, child);
    }
}

static void offer(Best *best, const FcHeapBlock *block, Better better)
{
    if (best->used < best->room)
    {
        guint at = best->used++;
        best->blocks[at] = (gpointer)block;
        for (; at > 0 && is_worse(best, at, (at - 1) / 2, better); at = (at - 1) / 2)
            swap(best, at, (at - 1) / 2);
    }
    else if (best->room > 0 && better(block, best->blocks[0]))
    {
        best->blocks[0] = (gpointer)block;
        sink_root(best, better);
    }
}

/* Returns the next block that is counted; NULL: there are no more.  *at must begin with 0. */
static const FcHeapBlock *next_block(const FcHeap *heap, guint32 *at)
{
    while (*at <= heap->blocks.mask)
    {
        const FcHeapBlock *block = &heap->blocks.slots[(*at)++];
        if (block->pointer != 0 && block->alloc_site != 0)
            return block;
    }
    return NULL;
}

static gint compare_counts(gconstpointer a, gconstpointer b)
{
    const guint x = (*(Share *const *)a)->count;
    const guint y = (*(Share *const *)b)->count;
    return x < y ? -1 : x > y;
}

/* Sets the sites' quotas.  A site with few blocks gets all of them; the others get equal parts of
 * the rest.  If there are more sites than places, each of the first sites gets one. */
static void set_quotas(GPtrArray *by_count, guint most)
{
    g_ptr_array_sort(by_count, compare_counts);
    for (guint i = 0; i < by_count->len; i++)
    {
        Share *share = by_count->pdata[i];
        const guint part = MAX(most / (by_count->len - i), MIN(most, 1));
        share->quota = MIN(share->count, part);
        most -= share->quota;
    }
}

static void give_room(GPtrArray *by_count, gpointer *chosen)
{
    for (guint i = 0; i < by_count->len; i++)
    {
        Share *share = by_count->pdata[i];
        share->largest.room =
            share->quota == share->count ? share->quota : share->quota - share->quota / 2;
        share->first.room = share->quota - share->largest.room;
        if (share->quota == 0) /* if no site has any, there is no array */
            continue;
        share->largest.blocks = chosen;
        share->first.blocks = chosen + share->largest.room;
        chosen += share->quota;
    }
}

GPtrArray *fc_leaks_choose(const FcHeap *heap, guint most)
{
    g_autofree Share *shares = g_new0(Share, heap->alloc_sites->len + 1);
    g_autoptr(GPtrArray) by_count = g_ptr_array_new();
    GPtrArray *chosen = g_ptr_array_new();
    const FcHeapBlock *block;
    guint total = 0;
    for (guint32 at = 0; (block = next_block(heap, &at));)
        if (shares[block->alloc_site].count++ == 0)
            g_ptr_array_add(by_count, &shares[block->alloc_site]);
    set_quotas(by_count, most);
    for (guint i = 0; i < by_count->len; i++)
        total += ((const Share *)by_count->pdata[i])->quota;
    g_ptr_array_set_size(chosen, (gint)total);
    give_room(by_count, chosen->pdata);

    for (guint32 at = 0; (block = next_block(heap, &at));)
        offer(&shares[block->alloc_site].largest, block, is_larger);
    for (guint32 at = 0; (block = next_block(heap, &at));)
    {
        Share *share = &shares[block->alloc_site];
        if (share->first.room > 0 && is_larger(share->largest.blocks[0], block))
            offer(&share->first, block, is_earlier);
    }
    return chosen;
}
