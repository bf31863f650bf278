/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a thread counts: its counted functions, their call sites, and the counters in shared
 * memory.  For counted.c, and for threads, forks and libraries that begin and end.
 *
 * A forked child finds all of this zeroed, however it was forked: nothing is counted there yet.
 */
#pragma once

#include "libfc/base/nested.h"
#include "libfc/count/counter-table.h"

/* A counted function.  Calls deeper than FC_DEPTH belong to a function of their own here, which
 * has FC_COUNT_DEEP in its address. */
struct FcFunction
{
    uint64_t function;             /* atomic; 0: not counted yet */
    uint64_t key;                  /* in its pairs; 0: it has none yet */
    struct FcFunction *next;       /* of all functions of the thread */
    struct FcFunction *next_alike; /* of those with the same hash */
    struct FcSlot *slot;
    struct FcSlot own; /* used as its slot, if other functions have its slots in the table */
    struct FcPair *pairs;
    uint32_t pair_count;
    uint32_t number;     /* in FcCounted.by_number */
    bool is_nested;      /* only calls within another one are counted */
    bool is_shown;       /* for such a function: the hooks find its pairs */
    uint32_t below_seen; /* calls from the framed call's site that were not inlined into it */
    bool is_skipped;     /* FC_FILTER says so: its calls are ignored */
    /* The framed call, valid while slot->exit_limit is not FC_NO_LIMIT: */
    uint64_t site;
    uint64_t where;
    struct FcNested nested;
};

/* Replaces the address of a removed function, here and in FcPair. */
#define FC_FUNCTION_REMOVED 1u

/* Memory for functions.  Each block is larger than the one before it, and no function is ever
 * moved. */
struct FcFunctionBlock
{
    struct FcFunctionBlock *next; /* the block before it */
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
    struct FcCounted *next;      /* of all threads */

    struct FcFunction *functions; /* atomic: the newest one; removed functions stay in the list */
    struct FcFunction *by_hash[FC_FUNCTION_HASHES];
    struct FcFunctionBlock *block; /* the block in use; NULL: none yet */
    uint32_t function_count;
    struct FcFunction *by_number[FC_FUNCTIONS_MAX];
    /* Whether the function has a framed call (framed.h), or may have; 0 after the last function. */
    uint8_t is_framed[FC_FUNCTIONS_MAX] __attribute__((aligned(8)));
    struct FcPair *more; /* pairs that found no entry in the hooks' table; NULL: none */
    uint32_t more_room;  /* a power of two */
    uint32_t more_count;
    struct FcPair *outgrown[FC_MORE_SIZES];     /* its smaller predecessors, by size */
    struct FcPair *next_pair[FC_COUNTER_PAIRS]; /* the next pair of the same function, for each pair
                                                   of the table */

    struct FcChunk *chunk; /* a chunk of counts; NULL: none yet */
    uint32_t chunk_count;  /* chunks that the thread has had, including this one */
    uint32_t counts;       /* counters in use in that chunk */
    bool has_no_chunk;     /* none was free: not tried again */
    bool has_switched;     /* between stacks, while there is a user filter */

    struct FcCount skipped; /* counts the calls of skipped functions; never read */
    bool is_steady;         /* without back-off: for overhead.c */

    uint64_t random;

    /* While a burst is open: its open calls, the timed one first. */
    bool is_in_burst;
    bool is_burst_ending;
    uint32_t burst_left; /* how many records may follow until it ends */
    uint32_t burst_top;
    uint32_t burst_number; /* changes with each burst */
    struct FcBurstFrame burst[FC_BURST_DEPTH];
};

/* The calling thread's, made at the first call.  NULL: there is no memory.  Signals blocked. */
struct FcCounted *fc_counters_own(void);

/* Unmaps its tables. */
void fc_counters_free_tables(struct FcCounted *counted);

/* The thread ends and counts nothing any more.  Signals blocked. */
void fc_counters_end(void);

/* Profiling stops and the thread counts nothing any more.  What it counted stays. */
void fc_counters_stop(void);

/* In a forked child: nothing is counted yet.  Signals blocked. */
void fc_counters_after_fork(void);

/* Whether profiling is off for good.  If it is, the calling thread's hooks count nothing from
 * here on.  A hook asks when a counter is used up, and for calls that it can't handle itself: a
 * counter that is not refilled would soon be wrong, and the thread may have forbidden itself the
 * system calls of the code that follows (prctl.c). */
bool fc_counters_have_stopped(void);

/* Sets which table the thread's hooks see from here on: its own, or an empty one if every call
 * has to come to libfc. */
void fc_counters_install_table(struct FcCounted *counted);

/* Sets the thread's current-function word (current-word.h), which is in its first chunk of counts;
 * NULL: nobody reads it. */
void fc_counters_set_current_word(struct FcChunk *chunk);

/* Makes a record now; the second makes one of a counted function. */
void fc_counters_record(enum FcRecordKind kind, uint64_t function, uint64_t site, uint64_t where);
void fc_counters_record_counted(enum FcCountRecord which, uint64_t function, uint64_t site,
                                uint64_t where);

/* NULL: the function is not counted. */
struct FcFunction *fc_counters_find(struct FcCounted *counted, uint64_t function);

/* Adds a function.  Its calls are counted only after fc_counters_publish, which sets
 * `slot->function`.  NULL: there is no room.  Signals blocked. */
struct FcFunction *fc_counters_add(struct FcCounted *counted, uint64_t function);
void fc_counters_publish(struct FcCounted *counted, struct FcFunction *known, uint64_t function);

/* Makes room for another counter, and returns whether there is.  The second says whether it is
 * known that there is none.  Signals blocked. */
bool fc_counters_make_room(struct FcCounted *counted);
bool fc_counters_are_full(const struct FcCounted *counted);

/* The next pair of the same function, after one in the hooks' table. */
static inline struct FcPair **fc_counters_next_pair(struct FcCounted *counted,
                                                    const struct FcPair *pair)
{
    return &counted->next_pair[pair - counted->table.pairs];
}

/* The pair, hidden or not; NULL: there is none.  Reads the code of the function, which is being
 * entered. */
struct FcPair *fc_counters_pair(struct FcCounted *counted, uint64_t function, uint64_t site);

/* The same, but makes the pair where there is none, hidden or not; its counter then has no call.
 * NULL: there is no room.  Blocks signals itself. */
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

/* How often the distance is doubled.  Records of samples hold it, since it gives the number of
 * calls that a sample stands for.  It follows from the number of the counter's calls at its last
 * refill.  (After the refill at which the distance became longer, it is reported one too high.) */
uint32_t fc_counters_backoff(const struct FcCounted *counted, const struct FcCount *count);

/* The next number of this thread's random generator. */
uint64_t fc_counters_random(struct FcCounted *counted);

/* Whether any thread counts. */
bool fc_counters_are_used(void);

/* The code at addresses [start, end) is gone: no thread counts there any more.  Signals blocked. */
void fc_counters_forget(uint64_t start, uint64_t end);

/* The calling thread stops counting in all functions that it has counted so far.  Blocks signals
 * itself. */
void fc_counters_forget_own(struct FcCounted *counted);
