/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What detail.c knows of a thread: statistics of each function, from its calls that have ended,
 * and which activations are open according to the thread's records.  Both tables grow as needed:
 * most threads need little, and all that is mapped counts against what a program may lock in
 * memory.  All functions: signals blocked.
 */
#pragma once

#include "libfc/base/frame-address.h"
#include "libfc/count/own-time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An open activation. */
struct FcOpen
{
    uint64_t function;
    uint64_t site;
    uint64_t where;
    uint64_t time;
    uint64_t children;    /* ticks spent in recorded callees */
    uint32_t descendants; /* recorded calls within it */
    uint32_t statistics;  /* index of its function's statistics, plus 1; 0: it has none */
};

struct FcDecision
{
    uint64_t function;
    bool is_nested; /* FC_COUNT_BEGINS_NESTED; otherwise all its calls are to be counted, even if
                       the nested ones are already */
};
#define FC_DECISIONS_MAX 64u

/* Powers of two. */
#define FC_STATISTICS_FIRST 64u
#define FC_STATISTICS_ROOM 4096u
#define FC_OPEN_FIRST 32u
#define FC_OPEN_ROOM 16384u
/* How many entries of a table with `room` may be used. */
#define FC_STATISTICS_MAX(room) ((room) / 4 * 3)

struct FcStatistics
{
    uint64_t function;
    uint32_t enters;
    uint32_t ended;
    uint32_t nested;
    uint32_t outermost;
    uint32_t open;
    bool is_decided;    /* it is counted, or never will be */
    bool is_nest;       /* its nested calls are counted already */
    uint64_t inclusive; /* ticks of its outermost calls */
    uint64_t exclusive;
};

struct FcDetail
{
    uint32_t scanned_units; /* of the chunk in use: see fc_detail_scan_rest */
    struct FcOwnTime own_time;
    uint32_t chunks;
    bool is_judged;      /* calls in this chunk go into the statistics */
    bool has_lost_track; /* no function of this thread is decided any more */
    uint64_t
        beyond; /* not 0: it is not known what is open below this stack address, see lose_track */
    uint32_t open_count;
    uint32_t decision_count;
    uint32_t statistics_count;
    uint32_t statistics_room;
    uint32_t open_room;
    uint16_t *used; /* indexes of the entries of `statistics` in use */
    struct FcStatistics *statistics;
    struct FcOpen *open;
    struct FcDecision decisions[FC_DECISIONS_MAX];
    uint16_t first_used[FC_STATISTICS_MAX(FC_STATISTICS_FIRST)];
    struct FcStatistics first_statistics[FC_STATISTICS_FIRST];
    struct FcOpen first_open[FC_OPEN_FIRST];
};

/* NULL: there is no memory. */
struct FcDetail *fc_detail_new(void);
void fc_detail_free(struct FcDetail *detail);

/* The index of the function's statistics, plus 1; they are made if need be.  0: there is no
 * room. */
uint32_t fc_detail_find(struct FcDetail *detail, uint64_t function);

/* Makes room for one more entry in `open`.  False: there is none. */
bool fc_detail_make_room(struct FcDetail *detail);

static inline struct FcStatistics *fc_detail_statistics_of(struct FcDetail *detail,
                                                           const struct FcOpen *open)
{
    return open->statistics != 0 ? &detail->statistics[open->statistics - 1] : NULL;
}

static inline void fc_detail_pop(struct FcDetail *detail)
{
    struct FcOpen *open = &detail->open[--detail->open_count];
    struct FcStatistics *statistics = fc_detail_statistics_of(detail, open);
    if (statistics)
        statistics->open--;
}

static inline uint64_t fc_detail_address_of(const struct FcOpen *open)
{
    return fc_frame_address(open->function, open->where);
}

static inline uint64_t fc_detail_address_in(const struct FcRecord *record)
{
    return fc_frame_address(record->function, record->where);
}

/* Removes the activations below `address`: they were left by a jump. */
static inline void fc_detail_cut(struct FcDetail *detail, uint64_t address)
{
    while (detail->open_count > 0 &&
           fc_detail_address_of(&detail->open[detail->open_count - 1]) < address)
        fc_detail_pop(detail);
}

/* From here on it is not known what is open within the innermost known activation, until that
 * one ends.  If no activation is known, anything may be open. */
void fc_detail_lose_track(struct FcDetail *detail);
/* Whether it is known again what is open, before that record. */
bool fc_detail_find_track(struct FcDetail *detail, const struct FcRecord *record);

/* `is_judged`: the call goes into the statistics of its function. */
void fc_detail_enter(struct FcDetail *detail, const struct FcRecord *record, uint64_t function,
                     bool is_judged);
/* `cost`: the ticks by which a recorded call lengthens its callers. */
void fc_detail_leave(struct FcDetail *detail, const struct FcRecord *record, uint64_t cost);
