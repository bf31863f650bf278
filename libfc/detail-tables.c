/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See detail-tables.h.
 */
#include "libfc/detail-tables.h"

#include "libfc/sys.h"

#include <string.h>

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

static uint32_t place_of(const struct FcStatistics *statistics, uint32_t room, uint64_t function)
{
    uint32_t at = (uint32_t)((function * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % room;
    while (statistics[at].function != 0 && statistics[at].function != function)
        at = (at + 1) % room;
    return at;
}

static bool make_statistics_room(struct FcDetail *detail)
{
    if (detail->statistics_count < FC_STATISTICS_MAX(detail->statistics_room))
        return true;
    if (detail->statistics_room == FC_STATISTICS_ROOM)
        return false;
    uint32_t room = 2 * detail->statistics_room;
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
    for (uint32_t i = 0; i < detail->statistics_count; i++)
    {
        const struct FcStatistics *old = &detail->statistics[detail->used[i]];
        used[i] = (uint16_t)place_of(statistics, room, old->function);
        statistics[used[i]] = *old;
    }
    for (uint32_t i = 0; i < detail->open_count; i++)
        if (detail->open[i].statistics != 0)
            detail->open[i].statistics =
                place_of(statistics, room,
                         detail->statistics[detail->open[i].statistics - 1].function) +
                1;
    free_statistics(detail);
    detail->statistics = statistics;
    detail->used = used;
    detail->statistics_room = room;
    return true;
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
    uint32_t at = place_of(detail->statistics, detail->statistics_room, function);
    if (detail->statistics[at].function == function)
        return at + 1;
    if (!make_statistics_room(detail))
        return 0;
    at = place_of(detail->statistics, detail->statistics_room, function);
    detail->used[detail->statistics_count++] = (uint16_t)at;
    detail->statistics[at].function = function;
    return at + 1;
}
