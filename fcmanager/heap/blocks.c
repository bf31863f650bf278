/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear probing with backward-shift deletion (Knuth, The Art of Computer Programming,
 * volume 3, section 6.4, algorithm R): no tombstones.
 */
#include "fcmanager/heap/blocks.h"

#include <string.h>

static guint32 home_of(const FcHeapBlocks *blocks, guint64 pointer)
{
    return (guint32)((pointer >> 4) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32) & blocks->mask;
}

void fc_heap_blocks_init(FcHeapBlocks *blocks, guint32 expected)
{
    guint32 slots = 64;
    while (slots - slots / 4 < expected && slots < 1u << 30)
        slots *= 2;
    blocks->slots = g_new0(FcHeapBlock, slots);
    blocks->mask = slots - 1;
    blocks->used = 0;
}

void fc_heap_blocks_copy(FcHeapBlocks *into, const FcHeapBlocks *from)
{
    *into = *from;
    into->slots = g_memdup2(from->slots, ((gsize)from->mask + 1) * sizeof *from->slots);
}

void fc_heap_blocks_clear(FcHeapBlocks *blocks)
{
    g_clear_pointer(&blocks->slots, g_free);
    blocks->used = 0;
}

static FcHeapBlock *slot_of(const FcHeapBlocks *blocks, guint64 pointer)
{
    guint32 at = home_of(blocks, pointer);
    while (blocks->slots[at].pointer != 0 && blocks->slots[at].pointer != pointer)
        at = (at + 1) & blocks->mask;
    return &blocks->slots[at];
}

FcHeapBlock *fc_heap_blocks_find(const FcHeapBlocks *blocks, guint64 pointer)
{
    FcHeapBlock *slot = slot_of(blocks, pointer);
    return slot->pointer != 0 ? slot : NULL;
}

FcHeapBlock *fc_heap_blocks_add(FcHeapBlocks *blocks, guint64 pointer)
{
    if (blocks->used >= blocks->mask - blocks->mask / 4)
    {
        FcHeapBlocks larger;
        fc_heap_blocks_init(&larger, blocks->mask + 1);
        for (guint32 i = 0; i <= blocks->mask; i++)
            if (blocks->slots[i].pointer != 0)
                *slot_of(&larger, blocks->slots[i].pointer) = blocks->slots[i];
        larger.used = blocks->used;
        g_free(blocks->slots);
        *blocks = larger;
    }
    FcHeapBlock *slot = slot_of(blocks, pointer);
    slot->pointer = pointer;
    blocks->used++;
    return slot;
}

void fc_heap_blocks_remove(FcHeapBlocks *blocks, FcHeapBlock *block)
{
    guint32 hole = (guint32)(block - blocks->slots);
    for (guint32 at = hole;;)
    {
        at = (at + 1) & blocks->mask;
        if (blocks->slots[at].pointer == 0)
            break;
        guint32 home = home_of(blocks, blocks->slots[at].pointer);
        /* The entry may move into the hole unless its home slot lies between the two. */
        if (((at - home) & blocks->mask) >= ((at - hole) & blocks->mask))
        {
            blocks->slots[hole] = blocks->slots[at];
            hole = at;
        }
    }
    blocks->slots[hole].pointer = 0;
    blocks->used--;
}
