/* SPDX-License-Identifier: 0BSD
 *
 * The table that a thread's hooks consult before they record.  It leads from a function and a call
 * site to the counter of these calls at an entry, and from a function to its slot at an exit.  The
 * hooks' part is here; counters.c fills the table, and counted.c does what the hooks cannot.
 *
 * Async-signal-safe: a handler may come between any two instructions.  An entry in use is never
 * given to another function.  It is removed (its function set to 0) when its code is unloaded.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/base/thread-hooks.h"
#include "libfc/current-word.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* A function and one of its call sites, with the counter of these calls. */
struct FcPair
{
    /* The function as its hook knows it: its address, or the address in it that __fentry__
       returns to, with FC_FUNCTION_AFTER_INLINING (fc_counter_table_key).  Atomic, stored last;
       0: free.  With FC_PAIR_HIDDEN the hook does not find it. */
    uint64_t key;
    uint64_t site;
    /* Distance in bytes from the pair to its counter.  In a forked child it is 0; a hook that
       has found the pair before the fork counts in the pair itself then, which looks used up. */
    uint64_t counter;
    uint64_t current_word; /* what the hook stores in the current-function word after such a call:
                        fc_current_entered */
};
#define FC_PAIR_HIDDEN                                                                             \
    (UINT64_C(1) << 61) /* together with FC_FUNCTION_AFTER_INLINING or FC_COUNT_DEEP */

/* A counted function. */
struct FcSlot
{
    uint64_t function; /* atomic, stored last; 0: free */
    /* Exits at stack addresses below this are of calls that have no frame.  UINT64_MAX: the
       function has no framed call.  Otherwise it is at most the framed call's address. */
    uint64_t exit_limit;
};
#define FC_NO_LIMIT UINT64_MAX

/* The tables of tests are small, so that much finds no room in them. */
#if defined(FC_TEST_EAGER)
#define FC_COUNTER_PAIRS 16u
#define FC_COUNTER_SLOTS 8u
#define FC_COUNTER_RECORDED 8u
#else
#define FC_COUNTER_PAIRS 4096u
#define FC_COUNTER_SLOTS 4096u
#define FC_COUNTER_RECORDED 4096u
#endif

struct FcCounterTable
{
    /* A pair is in one of two neighbouring entries, or of two more: see
       fc_counter_table_neighbour and fc_counter_table_far. */
    struct FcPair pairs[FC_COUNTER_PAIRS] __attribute__((aligned(2 * sizeof(struct FcPair))));
    struct FcSlot slots[FC_COUNTER_SLOTS];
    bool is_slow; /* calls that are not found here may still be counted */
    /* Functions that are recorded, not counted.  Atomic.  A new one displaces another. */
    uint64_t recorded[FC_COUNTER_RECORDED];
};

/* Reads the key of a pair, or the function of a slot or of `recorded`.  Another thread may
 * remove it meanwhile (fc_counters_forget), but only if its code is unloaded, in which the
 * reader is not. */
#define FC_LOAD_RELAXED(function) __atomic_load_n(&(function), __ATOMIC_RELAXED)

/* What libfc exports for the hooks that are linked into modules (module-hooks.c).  The layout of
 * the structures above is part of linked programs.  If it changes after a release, the number in
 * these names changes as well, and what libfc exports under the old names counts
 * nothing. */
#define FC_MODULE_REFILL "__functioncheck_refill"
#define FC_MODULE_ENTER "__functioncheck_enter"
#define FC_MODULE_EXIT "__functioncheck_exit"
#define FC_MODULE_RECORD_ENTRY "__functioncheck_record_entry_4"
#define FC_MODULE_RECORD_EXIT "__functioncheck_record_exit_4"
#define FC_MODULE_FENTRY "__functioncheck_fentry"
#define FC_MODULE_FENTRY_REFILL "__functioncheck_fentry_refill"
#define FC_MODULE_RETURN "__functioncheck_return"

typedef void FcHook(void *function, void *site);
/* What each call goes through begins at a cache line.  If it lies across three lines, not two, a
 * program of nothing but calls takes a tenth longer. */
#define FC_HOOK_ALIGNED __attribute__((aligned(64)))

/* The key of a function in its pairs.  Reads the code of the function, which is being entered. */
uint64_t fc_counter_table_key(uint64_t function);

static inline __attribute__((always_inline)) struct FcPair *
fc_counter_table_pair(struct FcCounterTable *table, uint64_t key, uint64_t site)
{
    /* an offset in bytes from the first pair; functions mostly lie at multiples of 16 */
    uint64_t at = (key << 1) + (site << 5) + (site << 3);
    return (struct FcPair *)((char *)table->pairs +
                             (at & (FC_COUNTER_PAIRS - 1) * (uint64_t)sizeof(struct FcPair)));
}

/* The other entry in the same cache line.  With one possible entry for each pair, dozens of some
 * hundred pairs would find none. */
static inline __attribute__((always_inline)) struct FcPair *
fc_counter_table_neighbour(struct FcPair *pair)
{
    return (struct FcPair *)((uintptr_t)pair ^ sizeof *pair);
}

/* The first of two neighbouring entries in another cache line, for a pair whose first two are
 * taken.  Of 800 pairs one or two dozen are, and one of those may be the hottest call of the
 * program.  In the small table of tests it may be the same line. */
static inline __attribute__((always_inline)) struct FcPair *
fc_counter_table_far(struct FcCounterTable *table, const struct FcPair *pair, uint64_t key,
                     uint64_t site)
{
    const uint64_t apart = ((key >> 9 ^ site >> 2) & 0x3ff) + 1;
    const uint64_t at = (uint64_t)((const char *)pair - (const char *)table->pairs) ^ apart << 6;
    return (struct FcPair *)((char *)table->pairs +
                             (at & (FC_COUNTER_PAIRS - 1) * (uint64_t)sizeof(struct FcPair)));
}

/* The entries that a pair may be in, in the order in which they are tried. */
#define FC_COUNTER_WAYS 4
static inline void fc_counter_table_ways(struct FcCounterTable *table, uint64_t key, uint64_t site,
                                         struct FcPair *ways[FC_COUNTER_WAYS])
{
    ways[0] = fc_counter_table_pair(table, key, site);
    ways[1] = fc_counter_table_neighbour(ways[0]);
    ways[2] = fc_counter_table_far(table, ways[0], key, site);
    ways[3] = fc_counter_table_neighbour(ways[2]);
}

static inline __attribute__((always_inline)) struct FcSlot *
fc_counter_table_slot(struct FcCounterTable *table, uint64_t function)
{
    return (struct FcSlot *)((char *)table->slots +
                             (function & (FC_COUNTER_SLOTS - 1) * (uint64_t)sizeof(struct FcSlot)));
}

/* The second slot that a function may have, if the first is taken. libfc looks there, the hooks
 * in modules do not.  Of a few hundred functions all over a large program dozens need it. */
static inline __attribute__((always_inline)) struct FcSlot *
fc_counter_table_other_slot(struct FcCounterTable *table, uint64_t function)
{
    const uint64_t at = (function * UINT64_C(0x9e3779b97f4a7c15)) >> 40;
    return &table->slots[at & (FC_COUNTER_SLOTS - 1)];
}

/* The function's slot; NULL: it has none. */
static inline __attribute__((always_inline)) struct FcSlot *
fc_counter_table_find_slot(struct FcCounterTable *table, uint64_t function)
{
    struct FcSlot *slot = fc_counter_table_slot(table, function);
    if (fc_likely(FC_LOAD_RELAXED(slot->function) == function))
        return slot;
    slot = fc_counter_table_other_slot(table, function);
    return FC_LOAD_RELAXED(slot->function) == function ? slot : NULL;
}

static inline __attribute__((always_inline)) uint64_t *
fc_counter_table_recorded(struct FcCounterTable *table, uint64_t function)
{
    return &table->recorded[(function >> 4) & (FC_COUNTER_RECORDED - 1)];
}

/* The counter of the pair; NULL in a child that a handler forked. */
static inline struct FcCount *fc_counter_table_counter(const struct FcPair *pair)
{
    const uint64_t behind = __atomic_load_n(&pair->counter, __ATOMIC_RELAXED);
    return behind ? (struct FcCount *)((uintptr_t)pair + behind) : NULL;
}

/* Counts a call.  False: the counter has to be refilled. */
static inline __attribute__((always_inline)) bool fc_counter_table_count(struct FcPair *pair)
{
    /* the low bits come first: both machines are little-endian */
    int16_t *ahead =
        (int16_t *)((uintptr_t)pair + __atomic_load_n(&pair->counter, __ATOMIC_RELAXED));
#if defined(__x86_64__)
    bool is_left;
    __asm__ volatile("decw %1" : "=@ccg"(is_left), "+m"(*ahead));
    return is_left;
#else
    return __atomic_sub_fetch(ahead, 1, __ATOMIC_RELAXED) > 0;
#endif
}

/* Whether an entry that no pair matches may have to be counted, so that libfc has to check. */
static inline __attribute__((always_inline)) bool
fc_counter_table_may_count(struct FcCounterTable *table, uint64_t function)
{
    return fc_counter_table_find_slot(table, function) ||
           (table->is_slow &&
            FC_LOAD_RELAXED(*fc_counter_table_recorded(table, function)) != function);
}

enum FcEntry
{
    FC_ENTRY_UNKNOWN, /* the table does not have it */
    FC_ENTRY_COUNTED,
    FC_ENTRY_USED_UP, /* counted, and the counter has to be refilled */
};

/* The same as FC_LOAD_RELAXED(*there) == value, with one instruction less than the compiler
 * would use. */
static inline __attribute__((always_inline)) bool fc_counter_table_has(const uint64_t *there,
                                                                       uint64_t value)
{
#if defined(__x86_64__)
    bool is_equal;
    __asm__ volatile("cmpq %2, %1" : "=@cce"(is_equal) : "m"(*there), "r"(value));
    return is_equal;
#else
    return FC_LOAD_RELAXED(*there) == value;
#endif
}

static inline __attribute__((always_inline)) bool
fc_counter_table_matches(const struct FcPair *pair, uint64_t key, uint64_t site)
{
    return fc_likely(fc_counter_table_has(&pair->key, key)) &&
           fc_likely(fc_counter_table_has(&pair->site, site));
}

/* The pair; NULL: the table does not have it.  The caller reads its other members after this: a
 * handler in between may have made the pair, or forked and wiped it. */
static inline __attribute__((always_inline)) struct FcPair *
fc_counter_table_find(struct FcCounterTable *table, uint64_t key, uint64_t site)
{
    struct FcPair *pair = fc_counter_table_pair(table, key, site);
    if (fc_likely(fc_counter_table_matches(pair, key, site)))
        return pair;
    pair = fc_counter_table_neighbour(pair);
    if (fc_likely(fc_counter_table_matches(pair, key, site)))
        return pair;
    pair = fc_counter_table_far(table, pair, key, site);
    if (fc_counter_table_matches(pair, key, site))
        return pair;
    pair = fc_counter_table_neighbour(pair);
    return fc_counter_table_matches(pair, key, site) ? pair : NULL;
}

/* If the call is counted, sets *word to what the hook then stores in the current-function word. */
static inline __attribute__((always_inline)) enum FcEntry
fc_counter_table_enter(struct FcCounterTable *table, uint64_t key, uint64_t site, uint64_t *word)
{
    struct FcPair *pair = fc_counter_table_find(table, key, site);
    if (fc_unlikely(!pair))
        return FC_ENTRY_UNKNOWN;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *word = pair->current_word;
    return fc_likely(fc_counter_table_count(pair)) ? FC_ENTRY_COUNTED : FC_ENTRY_USED_UP;
}

/* The stack address just above the frame of the hook that this is inlined in: the stack pointer
 * of the instrumented function at the call. */
#if defined(__x86_64__) || defined(__aarch64__)
#define FC_STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#else
#define FC_STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_frame_address(0))
#endif

/* The thread's current-function word, for a hook that has read a table.  Read after the table,
 * since a handler in between may be the first to count. */
static inline __attribute__((always_inline)) uint64_t *
fc_counter_table_current_word(struct FcHooks *hooks)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return __atomic_load_n(&hooks->current_word, __ATOMIC_RELAXED);
}

/* The functions of libfc that a module's hook goes on to. */
struct FcHookTargets
{
    FcHook *record_entry; /* nothing is counted in the thread */
    FcHook *record_exit;
    FcHook *enter; /* the call may have to be counted */
    FcHook *exit;
    FcHook *refill; /* the call was counted, and the counter is used up */
};

/* The hook in a module, at an entry: counts the call, or jumps to libfc. */
static inline __attribute__((always_inline)) void
fc_counter_table_hook_enter(struct FcHooks *hooks, void *function, void *site,
                            const struct FcHookTargets *targets)
{
    struct FcCounterTable *table = hooks->table;
    if (fc_likely(table))
    {
        const uint64_t key = (uint64_t)(uintptr_t)function;
        const uint64_t from = (uint64_t)(uintptr_t)site;
        uint64_t word;
        uint64_t *current_word = fc_counter_table_current_word(hooks);
        fc_current_set(current_word, FC_CURRENT_HOOK);
        switch (fc_counter_table_enter(table, key, from, &word))
        {
        case FC_ENTRY_COUNTED:
            fc_current_set(current_word, word);
            return;
        case FC_ENTRY_USED_UP:
            targets->refill(function, site);
            return;
        case FC_ENTRY_UNKNOWN:
            targets->enter(function, site);
            return;
        }
    }
    targets->record_entry(function, site);
}

/* The same at an exit.  There is nothing to do if the entry was counted. */
static inline __attribute__((always_inline)) void
fc_counter_table_hook_exit(struct FcHooks *hooks, void *function, void *site,
                           const struct FcHookTargets *targets)
{
    struct FcCounterTable *table = hooks->table;
    if (fc_likely(table))
    {
        uint64_t address = (uint64_t)(uintptr_t)function;
        const struct FcSlot *slot = fc_counter_table_slot(table, address);
        uint64_t *current_word = fc_counter_table_current_word(hooks);
        fc_current_set(current_word, FC_CURRENT_HOOK);
        if (fc_likely(fc_counter_table_has(&slot->function, address) &&
                      FC_STACK_ADDRESS() < slot->exit_limit))
            fc_current_set(current_word, fc_current_left(address, (uint64_t)(uintptr_t)site));
        else
            targets->exit(function, site);
        return;
    }
    targets->record_exit(function, site);
}
