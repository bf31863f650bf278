/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See detail-open.h.
 */
#include "libfc/detail-open.h"

#include "libfc/sys.h"
#include "libfc/thread.h"

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

/* Whether it is known from a record at the innermost activation's address that that is over.
 * Functions that were inlined into it share its address and call site; but the very same call can't
 * be made again before it returned. */
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

/* The innermost activation is over, by the exit in `record`. */
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
        /* It moved the stack pointer: its exits would be taken for those of nested calls. */
        if (!is_tail && fc_detail_address_in(record) < fc_detail_address_of(open))
            statistics->is_settled = true;
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
