/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of detail.c: what it knows of a thread's functions, and which activations are open.
 * Both grow: most threads need little, and all that is mapped counts against what a program may
 * lock of its memory.  All functions: signals blocked.
 */
#pragma once

#include "libfc/detail-types.h"
#include "libfc/own-time.h"

/* Powers of two. */
#define FC_STATISTICS_FIRST 64u
#define FC_STATISTICS_ROOM 4096u
#define FC_OPEN_FIRST 32u
#define FC_OPEN_ROOM 16384u
/* So many of them are used. */
#define FC_STATISTICS_MAX(room) ((room) / 4 * 3)

struct FcStatistics
{
    uint64_t function;
    uint32_t enters;
    uint32_t ended;
    uint32_t nested;
    uint32_t outermost;
    uint32_t open;
    bool is_settled;    /* decided, or never to be */
    bool is_nest;       /* its nested calls are counted already */
    uint64_t inclusive; /* ticks, of the outermost ones */
    uint64_t exclusive;
};

struct FcDetail
{
    uint32_t seen_units; /* of the chunk in use: fc_detail_look_again */
    struct FcOwnTime own_time;
    uint32_t chunks;
    bool is_judged;  /* the chunk that is looked at counts */
    bool is_doubted; /* nothing is decided in this thread any more */
    uint64_t beyond; /* not 0: what is open below this address is not known, see lose_track */
    uint32_t open_count;
    uint32_t decision_count;
    uint32_t statistics_count;
    uint32_t statistics_room;
    uint32_t open_room;
    uint16_t *used; /* the places in `statistics` that are */
    struct FcStatistics *statistics;
    struct FcOpen *open;
    struct FcDecision decisions[FC_DECISIONS_MAX];
    uint16_t first_used[FC_STATISTICS_MAX(FC_STATISTICS_FIRST)];
    struct FcStatistics first_statistics[FC_STATISTICS_FIRST];
    struct FcOpen first_open[FC_OPEN_FIRST];
};

/* NULL where there is no memory. */
struct FcDetail *fc_detail_new(void);
void fc_detail_free(struct FcDetail *detail);

/* The function's place in `statistics`, made if need be, plus 1; 0 where there is no room. */
uint32_t fc_detail_find(struct FcDetail *detail, uint64_t function);

/* Whether there is room for one more in `open`. */
bool fc_detail_make_room(struct FcDetail *detail);
