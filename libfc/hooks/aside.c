/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See aside.h.
 */
#include "libfc/hooks/aside.h"

#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/sys.h"
#include "libfc/count/counter-table.h"
#include "libfc/stream/record.h"

#define BYTES 16384

struct FcAside
{
    struct FcAside *next; /* that was full before it */
    uint32_t count;       /* atomic: taken, which may be more than there are */
    struct FcRecord records[];
};

#define ROOM ((uint32_t)((BYTES - sizeof(struct FcAside)) / sizeof(struct FcRecord)))

/* A handler may interrupt another one here, and the page is then its own. */
static struct FcRecord *take(void)
{
    for (;;)
    {
        struct FcAside *page = __atomic_load_n(&fc_thread.aside, __ATOMIC_RELAXED);
        const uint32_t at =
            page ? __atomic_fetch_add(&page->count, 1, __ATOMIC_RELAXED) : UINT32_MAX;
        if (at < ROOM)
            return &page->records[at];
        if (page)
            __atomic_store_n(&page->count, ROOM, __ATOMIC_RELAXED);
        struct FcAside *more = fc_map(BYTES);
        if (!more)
            return NULL;
        more->next = page;
        if (!__atomic_compare_exchange_n(&fc_thread.aside, &page, more, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            fc_unmap(more, BYTES);
    }
}

void fc_aside_record(uint64_t time, void *function, void *site, uint64_t where)
{
    uint64_t generation;
    /* what waits is older */
    struct FcRecord *slot = fc_thread.aside ? NULL : fc_record_reserve(&generation);
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
        fc_aside_record(fc_clock_now(), (void *)(uintptr_t)function, (void *)(uintptr_t)site,
                        where);
}

/* Counted by a record, as no table may be added to: its exit makes none. */
void fc_aside_enter(struct FcCounterTable *table, uint64_t function, uint64_t site, uint64_t where)
{
    if (table && fc_counter_table_find_slot(table, function))
        record_now(function | (uint64_t)FC_COUNT_ONE << FC_COUNT_RECORD_SHIFT, site,
                   (where & ~FC_WHERE_KIND_MASK) | FC_RECORD_COUNT);
    else
        record_now(function, site, where);
}

void fc_aside_leave(struct FcCounterTable *table, uint64_t function, uint64_t site, uint64_t where)
{
    if (!table || !fc_counter_table_find_slot(table, function))
        record_now(function, site, where);
}

static struct FcAside *oldest_first(struct FcAside *page)
{
    struct FcAside *first = NULL;
    while (page)
    {
        struct FcAside *next = page->next;
        page->next = first;
        first = page;
        page = next;
    }
    return first;
}

void fc_aside_end(void)
{
    struct FcAside *page =
        oldest_first(__atomic_exchange_n(&fc_thread.aside, NULL, __ATOMIC_RELAXED));
    while (page)
    {
        for (uint32_t i = 0; i < page->count && i < ROOM; i++)
        {
            const struct FcRecord *record = &page->records[i];
            fc_record_make(record->time, (void *)(uintptr_t)record->function,
                           (void *)(uintptr_t)record->site, record->where);
        }
        struct FcAside *next = page->next;
        fc_unmap(page, BYTES);
        page = next;
    }
}
