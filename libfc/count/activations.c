/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See activations.h.
 */
#include "libfc/count/activations.h"

#include "libfc/base/sys.h"
#include "libfc/base/thread.h"

#include <string.h>

/* ---- Tables --------------------------------------------------------------------- */

struct FcDetail *fc_detail_new(void)
{
    struct FcDetail *detail = fc_map(sizeof *detail);
    if (!detail)
        return NULL;
    detail->statistics_room = FC_STATISTICS_FIRST;
    detail->used = detail->first_used;
    detail->statistics = detail->first_statistics;
    detail->open_room = FC_OPEN_FIRST;
    detail->open = detail->first_open;
    return detail;
}

static void free_statistics(struct FcDetail *detail)
{
    if (detail->statistics == detail->first_statistics)
        return;
    fc_unmap(detail->statistics, detail->statistics_room * sizeof *detail->statistics);
    fc_unmap(detail->used, FC_STATISTICS_MAX(detail->statistics_room) * sizeof *detail->used);
}

static void free_open(struct FcDetail *detail)
{
    if (detail->open != detail->first_open)
        fc_unmap(detail->open, detail->open_room * sizeof *detail->open);
}

void fc_detail_free(struct FcDetail *detail)
{
    free_statistics(detail);
    free_open(detail);
    fc_unmap(detail, sizeof *detail);
}

static uint32_t index_of(const struct FcStatistics *statistics, uint32_t room, uint64_t function)
{
    uint32_t at = (uint32_t)((function * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % room;
    while (statistics[at].function != 0 && statistics[at].function != function)
        at = (at + 1) % room;
    return at;
}

/* A function with fewer calls than this will not be decided soon. */
#define CALLS_FEW 64u

/* What is worth keeping of a full table. */
enum Kept
{
    KEEP_ALL,
    KEEP_KNOWN, /* functions that are decided, or were called often */
    KEEP_OPEN,
};

static bool is_kept(const struct FcStatistics *statistics, enum Kept kept)
{
    return kept == KEEP_ALL || statistics->open > 0 ||
           (kept == KEEP_KNOWN &&
            (statistics->is_decided || statistics->is_nest || statistics->ended >= CALLS_FEW));
}

static uint32_t count_kept(const struct FcDetail *detail, enum Kept kept)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < detail->statistics_count; i++)
        count += is_kept(&detail->statistics[detail->used[i]], kept);
    return count;
}

/* Moves the statistics that `kept` names to tables of that size.  False: there is no memory. */
static bool move_statistics(struct FcDetail *detail, uint32_t room, enum Kept which)
{
    struct FcStatistics *statistics = fc_map(room * sizeof *statistics);
    uint16_t *used = fc_map(FC_STATISTICS_MAX(room) * sizeof *used);
    if (!statistics || !used)
    {
        if (statistics)
            fc_unmap(statistics, room * sizeof *statistics);
        if (used)
            fc_unmap(used, FC_STATISTICS_MAX(room) * sizeof *used);
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < detail->statistics_count; i++)
    {
        const struct FcStatistics *old = &detail->statistics[detail->used[i]];
        if (!is_kept(old, which))
            continue;
        used[kept] = (uint16_t)index_of(statistics, room, old->function);
        statistics[used[kept++]] = *old;
    }
    for (uint32_t i = 0; i < detail->open_count; i++)
        if (detail->open[i].statistics != 0)
            detail->open[i].statistics =
                index_of(statistics, room,
                         detail->statistics[detail->open[i].statistics - 1].function) +
                1;
    free_statistics(detail);
    detail->statistics = statistics;
    detail->used = used;
    detail->statistics_room = room;
    detail->statistics_count = kept;
    return true;
}

/* A program may have many more functions than the table has room for, most of which it calls now
 * and then.  Their statistics are dropped, or the next function that it calls all the time would
 * find no room.  What is decided a second time stays as it is. */
static bool make_statistics_room(struct FcDetail *detail)
{
    const uint32_t room = detail->statistics_room;
    const uint32_t most = FC_STATISTICS_MAX(room);
    if (detail->statistics_count < most)
        return true;
    if (room < FC_STATISTICS_ROOM)
        return move_statistics(detail, 2 * room, KEEP_ALL);
    for (enum Kept kept = KEEP_KNOWN; kept <= KEEP_OPEN; kept++)
        if (count_kept(detail, kept) <= most / 4 * 3)
            return move_statistics(detail, room, kept);
    return false;
}

bool fc_detail_make_room(struct FcDetail *detail)
{
    if (detail->open_count < detail->open_room)
        return true;
    uint32_t room = 2 * detail->open_room;
    struct FcOpen *open = room <= FC_OPEN_ROOM ? fc_map(room * sizeof *open) : NULL;
    if (!open)
        return false;
    memcpy(open, detail->open, detail->open_count * sizeof *open);
    free_open(detail);
    detail->open = open;
    detail->open_room = room;
    return true;
}

uint32_t fc_detail_find(struct FcDetail *detail, uint64_t function)
{
    uint32_t at = index_of(detail->statistics, detail->statistics_room, function);
    if (detail->statistics[at].function == function)
        return at + 1;
    if (!make_statistics_room(detail))
        return 0;
    at = index_of(detail->statistics, detail->statistics_room, function);
    detail->used[detail->statistics_count++] = (uint16_t)at;
    detail->statistics[at].function = function;
    return at + 1;
}

/* ---- What is open --------------------------------------------------------------- */

static const struct FcOpen *innermost(const struct FcDetail *detail)
{
    return detail->open_count > 0 ? &detail->open[detail->open_count - 1] : NULL;
}

void fc_detail_lose_track(struct FcDetail *detail)
{
    const struct FcOpen *open = innermost(detail);
    if (detail->beyond == 0)
        detail->beyond = open ? fc_detail_address_of(open) : UINT64_MAX;
}

/* Whether a record at the innermost activation's address shows that this one is over.  Functions
 * that were inlined into it have its address and call site; but the very same call can't be made
 * again before it has returned. */
static bool is_behind(const struct FcOpen *open, const struct FcRecord *record)
{
    return (record->where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER &&
           ((record->site & FC_SITE_ADDRESS_MASK) != open->site ||
            (record->function == open->function && record->where == open->where));
}

bool fc_detail_find_track(struct FcDetail *detail, const struct FcRecord *record)
{
    const uint64_t address = fc_detail_address_in(record);
    const struct FcOpen *open = innermost(detail);
    if (!open || address < detail->beyond ||
        (address == detail->beyond && !is_behind(open, record)))
        return false;
    detail->beyond = 0;
    fc_detail_cut(detail, address);
    while ((open = innermost(detail)) && fc_detail_address_of(open) == address &&
           is_behind(open, record))
        fc_detail_pop(detail);
    return true;
}

void fc_detail_enter(struct FcDetail *detail, const struct FcRecord *record, uint64_t function,
                     bool is_judged)
{
    fc_detail_cut(detail, fc_detail_address_in(record));
    if (!fc_detail_make_room(detail))
    {
        fc_detail_lose_track(detail);
        return;
    }
    struct FcOpen *open = &detail->open[detail->open_count++];
    *open = (struct FcOpen){.function = function,
                            .site = record->site & FC_SITE_ADDRESS_MASK,
                            .where = record->where,
                            .time = fc_own_time(&detail->own_time, record)};
    if (!is_judged)
        return;
    open->statistics = fc_detail_find(detail, function);
    struct FcStatistics *statistics = fc_detail_statistics_of(detail, open);
    if (!statistics)
        return;
    statistics->enters++;
    statistics->open++;
}

/* The exit in `record` ends the innermost activation. */
static void end_activation(struct FcDetail *detail, const struct FcRecord *record, uint64_t cost)
{
    struct FcOpen *open = &detail->open[detail->open_count - 1];
    struct FcStatistics *statistics = fc_detail_statistics_of(detail, open);
    uint64_t took = fc_own_time(&detail->own_time, record) - open->time;
    uint64_t recording = open->descendants * cost;
    bool is_tail = record->where >> FC_WHERE_RETURN_SHIFT == (record->site & 0xffff);
    if (statistics)
    {
        statistics->ended++;
        statistics->exclusive += took > open->children ? took - open->children : 0;
        if (statistics->open > 1)
            statistics->nested++;
        else
        {
            statistics->outermost++;
            statistics->inclusive += took > recording ? took - recording : 0;
        }
        /* The function moved the stack pointer: its exits would be taken for those of nested
           calls. */
        if (!is_tail && fc_detail_address_in(record) < fc_detail_address_of(open))
            statistics->is_decided = true;
    }
    uint32_t descendants = open->descendants + 1;
    fc_detail_pop(detail);
    if (detail->open_count == 0)
        return;
    detail->open[detail->open_count - 1].children += took;
    detail->open[detail->open_count - 1].descendants += descendants;
}

/* An exit without a function is that of the activation at its address. */
void fc_detail_leave(struct FcDetail *detail, const struct FcRecord *record, uint64_t cost)
{
    uint32_t at = detail->open_count;
    uint64_t address = fc_detail_address_in(record);
    uint64_t function = record->function & FC_FUNCTION_AFTER_INLINING ? 0 : record->function;
    while (at > 0 && (function != 0 ? detail->open[at - 1].function != function
                                    : fc_detail_address_of(&detail->open[at - 1]) != address))
        at--;
    if (at == 0)
        return;
    while (detail->open_count > at)
        fc_detail_pop(detail);
    end_activation(detail, record, cost);
}
