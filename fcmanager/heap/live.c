/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See live.h.  The program may write anything into the shared list.  What it notes is therefore
 * read by our own addresses, and an invalid state counts as lost.
 */
#include "fcmanager/heap/live.h"

#include "fcmanager/base/memfd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct FcLive
{
    int fd;
    gsize bytes;
    struct FcLiveList *list; /* shared with the process */
    struct FcLiveBlock *taken;
    gsize count;
};

static int compare(const void *a, const void *b)
{
    const struct FcLiveBlock *x = a;
    const struct FcLiveBlock *y = b;
    return x->pointer < y->pointer ? -1 : x->pointer > y->pointer;
}

/* Fills the list with our own blocks, in order of address. */
static void fill(FcLive *live, const FcHeap *heap)
{
    gsize at = 0;
    for (guint32 i = 0; i <= heap->blocks.mask; i++)
    {
        const FcHeapBlock *block = &heap->blocks.slots[i];
        if (block->pointer != 0 && block->alloc_site != 0)
            live->taken[at++] =
                (struct FcLiveBlock){.pointer = block->pointer, .bytes = block->size_bytes};
    }
    live->count = at;
    qsort(live->taken, live->count, sizeof *live->taken, compare);
}

FcLive *fc_live_new(const FcHeap *heap)
{
    FcLive *live = g_new0(FcLive, 1);
    live->taken = g_new0(struct FcLiveBlock, heap->blocks.used + 1);
    fill(live, heap);
    live->bytes = sizeof *live->list + live->count * sizeof *live->taken;
    live->fd = memfd_create("live", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    live->list = MAP_FAILED;
    if (live->fd >= 0 && live->count > 0 && ftruncate(live->fd, (off_t)live->bytes) == 0 &&
        fc_memfd_seal_size(live->fd) == (goffset)live->bytes)
        live->list = mmap(NULL, live->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, live->fd, 0);
    if (live->list == MAP_FAILED)
    {
        fc_live_free(live);
        return NULL;
    }
    memcpy(live->list->blocks, live->taken, live->count * sizeof *live->taken);
    return live;
}

void fc_live_free(FcLive *live)
{
    if (!live)
        return;
    if (live->list != MAP_FAILED)
        munmap(live->list, live->bytes);
    if (live->fd >= 0)
        close(live->fd);
    g_free(live->taken);
    g_free(live);
}

int fc_live_fd(const FcLive *live)
{
    return live->fd;
}

gboolean fc_live_take(FcLive *live)
{
    for (gsize i = 0; i < live->count; i++)
        live->taken[i].state = __atomic_load_n(&live->list->blocks[i].state, __ATOMIC_RELAXED);
    return live->list->is_done == 1;
}

FcProfileBlockState fc_live_state(const FcLive *live, guint64 pointer)
{
    struct FcLiveBlock wanted = {.pointer = pointer};
    const struct FcLiveBlock *found =
        bsearch(&wanted, live->taken, live->count, sizeof wanted, compare);
    if (found && found->state == FC_LIVE_REACHABLE)
        return FC_BLOCK_REACHABLE;
    return found && found->state == FC_LIVE_INDIRECT ? FC_BLOCK_INDIRECT : FC_BLOCK_LOST;
}
