/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See deferred.h.
 */
#include "libfc/hooks/deferred.h"

#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/sys.h"
#include "libfc/count/counter-table.h"
#include "libfc/stream/record.h"

#define BYTES 16384

struct FcDeferred
{
    struct FcDeferred *next; /* the full page before it */
    uint32_t count;          /* atomic: records taken; may exceed ROOM */
    struct FcRecord records[];
};

#define ROOM ((uint32_t)((BYTES - sizeof(struct FcDeferred)) / sizeof(struct FcRecord)))

/* Returns a free record; NULL: there is no memory.  If another handler interrupts this one and
 * adds a page first, the page mapped here is unmapped again. */
static struct FcRecord *take(void)
{
    for (;;)
    {
        struct FcDeferred *page = __atomic_load_n(&fc_thread.deferred, __ATOMIC_RELAXED);
        const uint32_t at =
            page ? __atomic_fetch_add(&page->count, 1, __ATOMIC_RELAXED) : UINT32_MAX;
        if (at < ROOM)
            return &page->records[at];
        if (page)
            __atomic_store_n(&page->count, ROOM, __ATOMIC_RELAXED);
        struct FcDeferred *more = fc_map(BYTES);
        if (!more)
            return NULL;
        more->next = page;
        if (!__atomic_compare_exchange_n(&fc_thread.deferred, &page, more, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            fc_unmap(more, BYTES);
    }
}

void fc_deferred_record(uint64_t time, void *function, void *site, uint64_t where)
{
    uint64_t generation;
    /* deferred records are older, and must be stored first */
    struct FcRecord *slot = fc_thread.deferred ? NULL : fc_record_reserve(&generation);
    if (slot)
    {
        fc_record_store(slot, generation, time, function, site, where);
        return;
    }
    slot = take();
    if (slot)
        *slot = (struct FcRecord){where, time, (uint64_t)(uintptr_t)function,
                                  (uint64_t)(uintptr_t)site};
}

static void record_now(uint64_t function, uint64_t site, uint64_t where)
{
    if (fc_clock_get_mode() != FC_CLOCK_OFF)
        fc_deferred_record(fc_clock_now(), (void *)(uintptr_t)function, (void *)(uintptr_t)site,
                           where);
}

/* The entry of a counted call makes a FC_RECORD_COUNT, since a handler must not change the
 * counter table.  The exit makes no record. */
void fc_deferred_enter(struct FcCounterTable *table, uint64_t function, uint64_t site,
                       uint64_t where)
{
    if (table && fc_counter_table_find_slot(table, function))
        record_now(function | (uint64_t)FC_COUNT_ONE << FC_COUNT_RECORD_SHIFT, site,
                   (where & ~FC_WHERE_KIND_MASK) | FC_RECORD_COUNT);
    else
        record_now(function, site, where);
}

void fc_deferred_leave(struct FcCounterTable *table, uint64_t function, uint64_t site,
                       uint64_t where)
{
    if (!table || !fc_counter_table_find_slot(table, function))
        record_now(function, site, where);
}

static struct FcDeferred *oldest_first(struct FcDeferred *page)
{
    struct FcDeferred *first = NULL;
    while (page)
    {
        struct FcDeferred *next = page->next;
        page->next = first;
        first = page;
        page = next;
    }
    return first;
}

void fc_deferred_flush(void)
{
    struct FcDeferred *page =
        oldest_first(__atomic_exchange_n(&fc_thread.deferred, NULL, __ATOMIC_RELAXED));
    while (page)
    {
        for (uint32_t i = 0; i < page->count && i < ROOM; i++)
        {
            const struct FcRecord *record = &page->records[i];
            fc_record_make(record->time, (void *)(uintptr_t)record->function,
                           (void *)(uintptr_t)record->site, record->where);
        }
        struct FcDeferred *next = page->next;
        fc_unmap(page, BYTES);
        page = next;
    }
}
