/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a thread counts: its counted functions, their call sites and the counters in shared memory.
 * For counted.c, and for what begins and ends: threads, forks, libraries.
 *
 * All of it is zero in a forked child, whoever made that: nothing is counted there.
 */
#pragma once

#include "libfc/base/nested.h"
#include "libfc/count/counter-table.h"

/* Calls that are deeper than FC_DEPTH are those of a function of their own here, whose address has
 * FC_COUNT_DEEP in it. */
struct FcFunction
{
    uint64_t function;             /* atomic; 0: not counted yet */
    uint64_t key;                  /* of its pairs; 0: it has none yet */
    struct FcFunction *next;       /* of all functions of the thread, */
    struct FcFunction *next_alike; /* of those with its hash */
    struct FcSlot *slot;
    struct FcSlot own; /* where other functions have its places in the hooks' table */
    struct FcPair *pairs;
    uint32_t pair_count;
    uint32_t number;     /* in FcCounted.by_number */
    bool is_nested;      /* only calls within another one are counted */
    bool is_shown;       /* of such a function: the hooks find its pairs */
    uint32_t below_seen; /* calls from the framed call's site that were not inlined into it */
    bool is_skipped;     /* FC_FILTER says so: its calls are nothing at all */
    /* Of the activation with a frame, while slot->exit_limit is not FC_NO_LIMIT: */
    uint64_t site;
    uint64_t where;
    struct FcNested nested;
};

/* What stands for the function, here and in FcPair, where it was removed. */
#define FC_FUNCTION_REMOVED 1u

/* Memory for functions, each larger than the one before it: none is moved. */
struct FcFunctionBlock
{
    struct FcFunctionBlock *next; /* the one before it */
    uint32_t room;
    uint32_t count;
    struct FcFunction functions[];
};

#define FC_FUNCTIONS_MAX 4096u
#define FC_FUNCTION_HASHES 512u
#define FC_MORE_SIZES 11u
#define FC_BURST_DEPTH 128u
#if defined(FC_TEST_EAGER)
#define FC_BURST_RECORDS 12u
#else
#define FC_BURST_RECORDS 256u
#endif

struct FcBurstFrame
{
    uint64_t function;
    uint64_t site;
    uint64_t where;
};

struct FcCounted
{
    struct FcCounterTable table; /* first */
    struct FcCounted *next;      /* of all threads' */

    struct FcFunction *functions; /* atomic: the newest; what was removed is there, too */
    struct FcFunction *by_hash[FC_FUNCTION_HASHES];
    struct FcFunctionBlock *block; /* with room, perhaps; NULL: none yet */
    uint32_t function_count;
    struct FcFunction *by_number[FC_FUNCTIONS_MAX];
    /* Whether the function has a framed call (framed.h), or may have; 0 after the last function. */
    uint8_t is_framed[FC_FUNCTIONS_MAX] __attribute__((aligned(8)));
    struct FcPair *more; /* what has no place in the hooks' table; NULL: none */
    uint32_t more_room;  /* a power of two */
    uint32_t more_count;
    struct FcPair *outgrown[FC_MORE_SIZES]; /* the smaller ones before it, by size */
    struct FcPair
        *next_pair[FC_COUNTER_PAIRS]; /* of the same function, for each in the hooks' table */

    struct FcChunk *chunk; /* of counts; NULL: none yet */
    uint32_t chunk_count;  /* chunks that it had, this one included */
    uint32_t counts;       /* in use in it */
    bool has_no_chunk;     /* there was none to be had: not asked for again */
    bool has_switched;     /* between stacks, with a user filter */

    struct FcCount skipped; /* of skipped functions: nobody reads it */
    bool is_steady;         /* samples are as many throughout: for overhead.c */

    uint64_t random;

    /* While a sample's burst is open: the frames within it, the sample's first. */
    bool is_in_burst;
    bool is_burst_ending;
    uint32_t burst_left; /* records until it is closed */
    uint32_t burst_top;
    uint32_t burst_number; /* another one for each burst */
    struct FcBurstFrame burst[FC_BURST_DEPTH];
};

/* The calling thread's, made when it is first asked for; NULL where there is no memory.  Signals
 * blocked. */
struct FcCounted *fc_counters_own(void);

/* Gives back what was mapped for its tables. */
void fc_counters_free_tables(struct FcCounted *counted);

/* The thread ends: nothing is counted any more.  Signals blocked. */
void fc_counters_end(void);

/* Profiling stops: the thread counts no more.  What it counted stays. */
void fc_counters_stop(void);

/* In a forked child: nothing is counted yet.  Signals blocked. */
void fc_counters_after_fork(void);

/* Whether profiling is off for good: the calling thread's hooks then count nothing any more.  As a
 * counter is used up, and by whatever they do not settle themselves, they come to learn it; a
 * counter that nobody refills would be wrong before long, and a thread may have forbidden itself
 * what else is done there (prctl.c). */
bool fc_counters_have_stopped(void);

/* What the thread's hooks are to see from here on, in place of their table where need be. */
void fc_counters_install_table(struct FcCounted *counted);

/* Where the thread's hooks tell what it is at (beacon.h): in its first chunk of counts; NULL: where
 * nobody looks. */
void fc_counters_set_beacon(struct FcChunk *chunk);

/* Makes a record now, and one of a counted function. */
void fc_counters_record(enum FcRecordKind kind, uint64_t function, uint64_t site, uint64_t where);
void fc_counters_record_counted(enum FcCountRecord which, uint64_t function, uint64_t site,
                                uint64_t where);

/* The counted function; NULL: it is none. */
struct FcFunction *fc_counters_find(struct FcCounted *counted, uint64_t function);

/* A place for a function that is not counted yet; it is once `slot->function` is set, by
 * fc_counters_publish.  NULL where there is none.  Signals blocked. */
struct FcFunction *fc_counters_add(struct FcCounted *counted, uint64_t function);
void fc_counters_publish(struct FcCounted *counted, struct FcFunction *known, uint64_t function);

/* Whether there is room for another counter; and whether it is known that there is none.  Signals
 * blocked. */
bool fc_counters_make_room(struct FcCounted *counted);
bool fc_counters_are_full(const struct FcCounted *counted);

/* Where the function's next pair is told behind one that is in the hooks' table. */
static inline struct FcPair **fc_counters_next_pair(struct FcCounted *counted,
                                                    const struct FcPair *pair)
{
    return &counted->next_pair[pair - counted->table.pairs];
}

/* The pair, hidden or not; NULL: there is none.  The function is being entered: its
 * code may be read. */
struct FcPair *fc_counters_pair(struct FcCounted *counted, uint64_t function, uint64_t site);

/* The same, made where there is none, `is_hidden` or not; NULL where it can't be had.  Its
 * counter holds no call.  Blocks signals itself. */
struct FcPair *fc_counters_make_pair(struct FcCounted *counted, struct FcFunction *known,
                                     uint64_t site, bool is_hidden);

/* Of a counter's calls one in about 64 is timed: there are FC_COUNT_MIN calls between two, and at
 * random up to FC_COUNT_MASK more.  A counter backs off as it grows, since further samples of a
 * function say little that is new: from FC_COUNT_OFTEN calls on (about 128 samples) the distance is
 * doubled, and again with each four times as many calls, FC_COUNT_BACKOFF_MAX times at most. */
#if defined(FC_TEST_EAGER)
#define FC_COUNT_MIN 2u
#define FC_COUNT_MASK 3u
#define FC_COUNT_OFTEN 64u
#else
#define FC_COUNT_MIN 32u
#define FC_COUNT_MASK 63u
#define FC_COUNT_OFTEN 8192u
#endif
#define FC_COUNT_BACKOFF_MAX 7u

/* The counter is used up: lets it count on to the next sample, at the distance for `backoff`.  The
 * caller reads `count` once: that of a pair becomes NULL in a child that a handler forks. */
void fc_counters_refill(struct FcCounted *counted, struct FcCount *count, uint32_t backoff);

/* How often the distance is doubled.  It depends on the counter's calls alone.  A counter that is
 * used up has the same calls as when it was filled, so the result is also how many calls the sample
 * stands for; it differs only once at each step. */
uint32_t fc_counters_backoff(const struct FcCounted *counted, const struct FcCount *count);

/* The next number of this thread's random generator. */
uint64_t fc_counters_random(struct FcCounted *counted);

/* Whether any thread counts. */
bool fc_counters_are_used(void);

/* Addresses [start, end) are not those of the code that was there: nobody counts in them any more.
 * Signals blocked. */
void fc_counters_forget(uint64_t start, uint64_t end);

/* The calling thread counts in no function any more that it counted in so far.  Blocks signals
 * itself. */
void fc_counters_forget_own(struct FcCounted *counted);
