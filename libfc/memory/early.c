/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A hash table in memory of its own; see early.h.  Linear probing, backward-shift deletion.
 */
#include "libfc/memory/early.h"

#include "libfc/base/sys.h"

#include <sys/mman.h>

#define FIRST_SLOTS 1024u

static struct FcEarlyBlock first_slots[FIRST_SLOTS];

static struct
{
    uint32_t lock;
    bool is_closed;
    bool is_paused;
    struct FcEarlyBlock *slots;
    size_t mask;
    size_t used;
} early = {.slots = first_slots, .mask = FIRST_SLOTS - 1};

static size_t home_of(const void *pointer)
{
    return (size_t)(((uint64_t)(uintptr_t)pointer >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
           early.mask;
}

static struct FcEarlyBlock *slot_of(const void *pointer)
{
    size_t at = home_of(pointer);
    while (early.slots[at].pointer && early.slots[at].pointer != pointer)
        at = (at + 1) & early.mask;
    return &early.slots[at];
}

static void drop_slots(struct FcEarlyBlock *slots, size_t mask)
{
    if (slots != first_slots)
        fc_sys(SYS_munmap, slots, (mask + 1) * sizeof *slots);
}

/* Enlarges the table.  False: there is no memory, and the new block is not noted. */
static bool grow(void)
{
    struct FcEarlyBlock *old = early.slots;
    size_t old_mask = early.mask;
    long memory = fc_sys(SYS_mmap, NULL, 4 * (old_mask + 1) * sizeof *old, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    if (memory < 0 && memory > -4096)
        return false;
    early.slots = (struct FcEarlyBlock *)memory;
    early.mask = 4 * (old_mask + 1) - 1;
    for (size_t i = 0; i <= old_mask; i++)
        if (old[i].pointer)
            *slot_of(old[i].pointer) = old[i];
    drop_slots(old, old_mask);
    return true;
}

bool fc_early_add(void *pointer, size_t bytes, const void *caller)
{
    if (__atomic_load_n(&early.is_closed, __ATOMIC_ACQUIRE)) /* pairs with fc_early_close */
        return false;
    fc_lock(&early.lock);
    bool is_open = !early.is_closed;
    if (is_open && !early.is_paused && (early.used < early.mask / 2 || grow()))
    {
        struct FcEarlyBlock *slot = slot_of(pointer);
        early.used += slot->pointer == NULL;
        *slot = (struct FcEarlyBlock){.pointer = pointer, .bytes = bytes, .caller = caller};
    }
    fc_unlock(&early.lock);
    return is_open;
}

void fc_early_inherit(const void *moved, const void *old)
{
    fc_lock(&early.lock);
    if (!early.is_closed)
    {
        const struct FcEarlyBlock *from = slot_of(old);
        struct FcEarlyBlock *into = slot_of(moved);
        if (from->pointer && into->pointer)
        {
            bool is_first = from->first_caller == NULL;
            into->first_caller = is_first ? from->caller : from->first_caller;
            into->first_bytes = is_first ? from->bytes : from->first_bytes;
        }
    }
    fc_unlock(&early.lock);
}

static void empty(size_t hole)
{
    for (size_t at = hole;;)
    {
        at = (at + 1) & early.mask;
        if (!early.slots[at].pointer)
            break;
        size_t home = home_of(early.slots[at].pointer);
        if (((at - home) & early.mask) >= ((at - hole) & early.mask))
        {
            early.slots[hole] = early.slots[at];
            hole = at;
        }
    }
    early.slots[hole].pointer = NULL;
    early.used--;
}

bool fc_early_remove(const void *pointer)
{
    if (__atomic_load_n(&early.is_closed, __ATOMIC_ACQUIRE)) /* pairs with fc_early_close */
        return false;
    fc_lock(&early.lock);
    bool is_open = !early.is_closed;
    struct FcEarlyBlock *slot = is_open ? slot_of(pointer) : NULL;
    if (slot && slot->pointer)
        empty((size_t)(slot - early.slots));
    fc_unlock(&early.lock);
    return is_open;
}

void fc_early_pause(bool pause)
{
    fc_lock(&early.lock);
    early.is_paused = pause;
    fc_unlock(&early.lock);
}

void fc_early_close(void (*start)(const struct FcEarlyBlock *block), void (*switch_over)(void))
{
    fc_lock(&early.lock);
    for (size_t i = 0; start && i <= early.mask; i++)
        if (early.slots[i].pointer)
            start(&early.slots[i]);
    drop_slots(early.slots, early.mask);
    early.slots = first_slots;
    switch_over();
    __atomic_store_n(&early.is_closed, true, __ATOMIC_RELEASE);
    fc_unlock(&early.lock);
}
