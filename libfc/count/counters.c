/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See counters.h.  Never allocates from the program's heap.  When a table is full, a second one
 * takes the rest.
 */
#include "libfc/count/counters.h"

#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/stream/pool.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

#define FUNCTIONS_FIRST 128u
#define MORE_FIRST 1024u
#define MORE_MAX (MORE_FIRST << (FC_MORE_SIZES - 1))

/* For the hooks of a thread that has no chunk that the manager could read. */
static __thread uint64_t dummy_current_word __attribute__((tls_model("initial-exec")));

static struct FcCounted *all; /* all threads that count */
static uint32_t all_lock;

void fc_counters_set_current_word(struct FcChunk *chunk)
{
    fc_hooks.current_word = chunk ? &chunk->current_word : &dummy_current_word;
}

static void *map_wiped(size_t bytes)
{
    void *at = fc_map(bytes);
    if (at && fc_sys(SYS_madvise, at, bytes, MADV_WIPEONFORK) != 0)
    {
        fc_unmap(at, bytes);
        return NULL;
    }
    return at;
}

struct FcCounted *fc_counters_own(void)
{
    if (fc_thread.counted)
        return fc_thread.counted;
    struct FcCounted *counted = map_wiped(sizeof *counted);
    if (!counted)
        return NULL;
    counted->random = ((uint64_t)(uintptr_t)counted ^ fc_clock_peek()) | 1;
    if (!fc_hooks.current_word)
        fc_counters_set_current_word(NULL);
    fc_thread.counted = counted;
    fc_lock(&all_lock);
    counted->next = all;
    __atomic_store_n(&all, counted, __ATOMIC_RELAXED);
    fc_unlock(&all_lock);
    return counted;
}

void fc_counters_end(void)
{
    struct FcCounted *counted = fc_thread.counted;
    fc_hooks.table = NULL;
    fc_counters_set_current_word(NULL);
    fc_thread.checks_all_calls = false;
    fc_thread.counted = NULL;
    if (!counted)
        return;
    fc_lock(&all_lock);
    for (struct FcCounted **at = &all; *at; at = &(*at)->next)
        if (*at == counted)
        {
            __atomic_store_n(at, counted->next, __ATOMIC_RELAXED);
            break;
        }
    fc_unlock(&all_lock);
    fc_counters_free_tables(counted);
    fc_unmap(counted, sizeof *counted);
}

/* The memory is not unmapped: a hook may be using it. */
void fc_counters_stop(void)
{
    fc_hooks.table = NULL;
    fc_counters_set_current_word(NULL);
    fc_thread.checks_all_calls = false;
    fc_thread.counted = NULL;
}

/* The memory is not unmapped: a handler that interrupted a hook may have made the fork. */
void fc_counters_after_fork(void)
{
    fc_hooks.table = NULL;
    fc_counters_set_current_word(NULL);
    fc_thread.checks_all_calls = false;
    fc_thread.counted = NULL;
    all = NULL;
    all_lock = 0;
}

uint64_t fc_counters_random(struct FcCounted *counted)
{
    uint64_t x = counted->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return counted->random = x;
}

/* ---- Hooks and records -------------------------------------------------------- */

/* What the hooks see during a burst and with FC_DEPTH: an empty table, so that every call comes
 * to libfc. */
static struct FcCounterTable empty_table = {.is_slow = true};

bool fc_counters_have_stopped(void)
{
    if (fc_likely(fc_clock_get_mode() != FC_CLOCK_OFF))
        return false;
    fc_hooks.table = NULL;
    return true;
}

void fc_counters_install_table(struct FcCounted *counted)
{
    if (fc_counters_have_stopped())
        return;
    const bool is_empty = counted->is_in_burst || fc_thread.depth;
    fc_hooks.table = is_empty ? &empty_table : &counted->table;
}

void fc_counters_record(enum FcRecordKind kind, uint64_t function, uint64_t site, uint64_t where)
{
    if (fc_clock_get_mode() == FC_CLOCK_OFF)
        return;
    where = (where & ~FC_WHERE_KIND_MASK) | kind;
    const bool is_still = fc_thread.is_time_still; /* fc_switches_stop_time */
    const uint64_t time = is_still ? fc_thread.pause_time : fc_clock_now();
    if (fc_switches_any() && !is_still)
        fc_switches_check(time);
    fc_record_make(time, (void *)(uintptr_t)function, (void *)(uintptr_t)site, where);
}

void fc_counters_record_counted(enum FcCountRecord which, uint64_t function, uint64_t site,
                                uint64_t where)
{
    if ((function & FC_POINTER_MASK) == 0)
        return; /* in a child that a handler forked: the call is the parent's */
    fc_counters_record(FC_RECORD_COUNT, function | (uint64_t)which << FC_COUNT_RECORD_SHIFT, site,
                       where);
}

/* ---- Functions ------------------------------------------------------------------- */

static uint32_t hash_index(uint64_t key, uint32_t room)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
}

struct FcFunction *fc_counters_find(struct FcCounted *counted, uint64_t function)
{
    /* acquire: a reader that sees the function sees the rest of it, also a handler that came in
       between */
    struct FcFunction *known = __atomic_load_n(
        &counted->by_hash[hash_index(function, FC_FUNCTION_HASHES)], __ATOMIC_ACQUIRE);
    while (known && __atomic_load_n(&known->function, __ATOMIC_ACQUIRE) != function)
        known = known->next_alike;
    return known;
}

static size_t bytes_of_block(uint32_t room)
{
    return sizeof(struct FcFunctionBlock) + room * sizeof(struct FcFunction);
}

void fc_counters_free_tables(struct FcCounted *counted)
{
    if (counted->more)
        fc_unmap(counted->more, counted->more_room * sizeof *counted->more);
    counted->more = NULL;
    for (uint32_t i = 0; i < FC_MORE_SIZES && counted->outgrown[i]; i++)
        fc_unmap(counted->outgrown[i], (MORE_FIRST << i) * sizeof *counted->outgrown[i]);
    while (counted->block)
    {
        struct FcFunctionBlock *block = counted->block;
        counted->block = block->next;
        fc_unmap(block, bytes_of_block(block->room));
    }
}

/* Entries of removed functions are not used again: pairs may still refer to them. */
static struct FcFunction *take_function(struct FcCounted *counted)
{
    struct FcFunctionBlock *block = counted->block;
    if (!block || block->count == block->room)
    {
        uint32_t room = block ? 2 * block->room : FUNCTIONS_FIRST;
        struct FcFunctionBlock *larger = map_wiped(bytes_of_block(room));
        if (!larger)
            return NULL;
        larger->next = block;
        larger->room = room;
        counted->block = block = larger;
    }
    return &block->functions[block->count++];
}

struct FcFunction *fc_counters_add(struct FcCounted *counted, uint64_t function)
{
    if (counted->function_count == FC_FUNCTIONS_MAX)
        return NULL;
    struct FcFunction *known = take_function(counted);
    if (!known)
        return NULL;
    known->slot = fc_counter_table_slot(&counted->table, function);
    if (FC_LOAD_RELAXED(known->slot->function) != 0)
        known->slot = fc_counter_table_other_slot(&counted->table, function);
    if (FC_LOAD_RELAXED(known->slot->function) != 0)
        known->slot = &known->own;
    known->slot->exit_limit = FC_NO_LIMIT;
    known->number = counted->function_count++;
    counted->by_number[known->number] = known;
    return known;
}

void fc_counters_publish(struct FcCounted *counted, struct FcFunction *known, uint64_t function)
{
    struct FcFunction **alike = &counted->by_hash[hash_index(function, FC_FUNCTION_HASHES)];
    __atomic_store_n(&known->function, function, __ATOMIC_RELEASE);
    known->next = counted->functions;
    known->next_alike = *alike;
    __atomic_store_n(alike, known, __ATOMIC_RELEASE);
    __atomic_store_n(&counted->functions, known, __ATOMIC_RELEASE);
    __atomic_store_n(&known->slot->function, function, __ATOMIC_RELEASE);
    uint64_t *recorded = fc_counter_table_recorded(&counted->table, function);
    if (FC_LOAD_RELAXED(*recorded) == function)
        __atomic_store_n(recorded, 0, __ATOMIC_RELAXED);
    if (known->slot == &known->own)
        counted->table.is_slow = true;
}

/* ---- Pairs ------------------------------------------------------------------------ */

static bool is_pair(const struct FcPair *pair, uint64_t key, uint64_t site)
{
    uint64_t there = __atomic_load_n(&pair->key, __ATOMIC_ACQUIRE);
    return (there & ~FC_PAIR_HIDDEN) == key && pair->site == site;
}

static uint32_t place_in(uint32_t room, uint64_t key, uint64_t site)
{
    return hash_index(key ^ (site << 21 | site >> 43), room);
}

static struct FcPair *find_pair(struct FcCounted *counted, uint64_t key, uint64_t site)
{
    struct FcPair *ways[FC_COUNTER_WAYS];
    fc_counter_table_ways(&counted->table, key, site, ways);
    for (int way = 0; way < FC_COUNTER_WAYS; way++)
        if (is_pair(ways[way], key, site))
            return ways[way];
    /* the size is read first: a handler that enlarges the table stores the table first */
    uint32_t room = __atomic_load_n(&counted->more_room, __ATOMIC_ACQUIRE);
    struct FcPair *more = counted->more;
    if (room == 0 || !more)
        return NULL;
    for (uint32_t at = place_in(room, key, site);; at = (at + 1) & (room - 1))
    {
        if (is_pair(&more[at], key, site))
            return &more[at];
        if (FC_LOAD_RELAXED(more[at].key) == 0)
            return NULL;
    }
}

struct FcPair *fc_counters_pair(struct FcCounted *counted, uint64_t function, uint64_t site)
{
    return find_pair(counted, fc_counter_table_key(function), site);
}

static struct FcPair *place_in_more(struct FcPair *more, uint32_t room, uint64_t key, uint64_t site)
{
    uint32_t at = place_in(room, key, site);
    while (FC_LOAD_RELAXED(more[at].key) != 0)
        at = (at + 1) & (room - 1);
    return &more[at];
}

/* The table is half full at most.  The old one stays mapped until the thread ends: code that a
 * handler of this thread interrupted may be reading it. */
static bool make_more_room(struct FcCounted *counted)
{
    if (counted->more_count < counted->more_room / 2)
        return true;
    uint32_t room = counted->more_room != 0 ? 2 * counted->more_room : MORE_FIRST;
    struct FcPair *more = room <= MORE_MAX ? map_wiped(room * sizeof *more) : NULL;
    if (!more)
        return false;
    fc_lock(&all_lock); /* nothing is removed meanwhile */
    for (uint32_t i = 0; i < counted->more_room; i++)
    {
        const struct FcPair *pair = &counted->more[i];
        if (pair->key > FC_FUNCTION_REMOVED)
        {
            struct FcPair *target =
                place_in_more(more, room, pair->key & ~FC_PAIR_HIDDEN, pair->site);
            *target = *pair;
            target->counter += (uintptr_t)pair - (uintptr_t)target;
        }
    }
    if (counted->more)
        counted->outgrown[__builtin_ctz(counted->more_room / MORE_FIRST)] = counted->more;
    __atomic_store_n(&counted->more, more, __ATOMIC_RELAXED);
    __atomic_store_n(&counted->more_room, room, __ATOMIC_RELEASE);
    fc_unlock(&all_lock);
    return true;
}

bool fc_counters_are_full(const struct FcCounted *counted)
{
    return counted->has_no_chunk && (!counted->chunk || counted->counts == FC_CHUNK_COUNTS);
}

bool fc_counters_make_room(struct FcCounted *counted)
{
    if (counted->chunk && counted->counts < FC_CHUNK_COUNTS)
        return true;
    if (counted->has_no_chunk)
        return false;
    struct FcChunk *chunk = fc_pool_claim_counts(counted->chunk_count);
    counted->has_no_chunk = chunk == NULL;
    if (!chunk)
        return false;
    if (counted->chunk_count++ == 0)
        fc_counters_set_current_word(chunk);
    counted->chunk = chunk;
    counted->counts = 0;
    return true;
}

static struct FcCount *make_count(struct FcCounted *counted, uint64_t function, uint64_t site)
{
    if (!fc_counters_make_room(counted))
        return NULL;
    struct FcCount *count = &counted->chunk->counts[counted->counts++];
    /* used up by the first call no more often than by any other */
    uint64_t ahead = 1 + (fc_counters_random(counted) & FC_COUNT_MASK);
    count->word = ahead << 16 | ahead;
    count->site = site;
    count->time = fc_clock_peek();
    __atomic_store_n(&count->function, function, __ATOMIC_RELEASE);
    return count;
}

/* A pair that was removed, as its call site was unloaded, is still in the list of its function. */
static void unlink_pair(struct FcCounted *counted, const struct FcPair *pair)
{
    for (struct FcFunction *known = counted->functions; known; known = known->next)
        for (struct FcPair **at = &known->pairs; *at; at = fc_counters_next_pair(counted, *at))
            if (*at == pair)
            {
                *at = *fc_counters_next_pair(counted, pair);
                known->pair_count--;
                return;
            }
}

static struct FcPair *make_pair(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                                bool is_hidden)
{
    const uint64_t function = FC_LOAD_RELAXED(known->function);
    const uint64_t key = fc_counter_table_key(function);
    struct FcPair *pair = find_pair(counted, key, site);
    if (pair) /* a handler was here first */
        return pair;
    struct FcPair *ways[FC_COUNTER_WAYS];
    fc_counter_table_ways(&counted->table, key, site, ways);
    for (int way = 0; way < FC_COUNTER_WAYS && !pair; way++)
        if (FC_LOAD_RELAXED(ways[way]->key) == 0)
            pair = ways[way];
    const bool is_first = pair != NULL;
    if (!is_first && !make_more_room(counted))
        return NULL;
    struct FcCount *count =
        known->is_skipped ? &counted->skipped : make_count(counted, function, site);
    if (!count)
        return NULL;
    if (!is_first)
    {
        pair = place_in_more(counted->more, counted->more_room, key, site);
        counted->more_count++;
    }
    else if (pair->counter)
        unlink_pair(counted, pair);
    known->key = key;
    pair->counter = (uintptr_t)count - (uintptr_t)pair;
    pair->site = site;
    pair->current_word = fc_current_entered(function & FC_POINTER_MASK, site);
    __atomic_store_n(&pair->key, key | (is_hidden ? FC_PAIR_HIDDEN : 0), __ATOMIC_RELEASE);
    if (is_first)
    {
        *fc_counters_next_pair(counted, pair) = known->pairs;
        known->pairs = pair;
        known->pair_count++;
    }
    return pair;
}

struct FcPair *fc_counters_make_pair(struct FcCounted *counted, struct FcFunction *known,
                                     uint64_t site, bool is_hidden)
{
    /* the first calls of a thread come here, and touch their pages for the first time */
    uint64_t old = fc_block_signals();
    const bool is_pause = fc_switches_begin_inner_pause();
    struct FcPair *pair = make_pair(counted, known, site, is_hidden);
    if (is_pause)
        fc_switches_end_pause();
    fc_restore_signals(old);
    return pair;
}

/* ---- Libraries -------------------------------------------------------------------- */

bool fc_counters_are_used(void)
{
    return __atomic_load_n(&all, __ATOMIC_RELAXED) != NULL;
}

static bool is_within(uint64_t address, uint64_t start, uint64_t end)
{
    return address >= start && address < end;
}

static void forget_pairs(struct FcPair *pairs, uint32_t room, uint64_t removed, uint64_t start,
                         uint64_t end)
{
    for (uint32_t i = 0; i < room; i++)
    {
        uint64_t key = __atomic_load_n(&pairs[i].key, __ATOMIC_ACQUIRE);
        if (key > FC_FUNCTION_REMOVED &&
            (is_within(key & FC_POINTER_MASK, start, end) || is_within(pairs[i].site, start, end)))
            __atomic_store_n(&pairs[i].key, removed, __ATOMIC_RELAXED);
    }
}

static void forget(struct FcCounted *counted, uint64_t start, uint64_t end)
{
    forget_pairs(counted->table.pairs, FC_COUNTER_PAIRS, 0, start, end);
    uint32_t room = __atomic_load_n(&counted->more_room, __ATOMIC_ACQUIRE);
    if (room > 0)
        forget_pairs(counted->more, room, FC_FUNCTION_REMOVED, start, end);
    for (uint32_t i = 0; i < FC_COUNTER_RECORDED; i++)
        if (is_within(FC_LOAD_RELAXED(counted->table.recorded[i]) & FC_POINTER_MASK, start, end))
            __atomic_store_n(&counted->table.recorded[i], 0, __ATOMIC_RELAXED);
    struct FcFunction *known = __atomic_load_n(&counted->functions, __ATOMIC_ACQUIRE);
    for (; known; known = known->next)
    {
        uint64_t function = __atomic_load_n(&known->function, __ATOMIC_ACQUIRE);
        if (function <= FC_FUNCTION_REMOVED || !is_within(function & FC_POINTER_MASK, start, end))
            continue;
        __atomic_store_n(&known->function, FC_FUNCTION_REMOVED, __ATOMIC_RELAXED);
        __atomic_store_n(&known->slot->function, 0, __ATOMIC_RELAXED);
    }
}

/* Only its own thread may add to a table.  Other threads may remove entries; the owner may see
 * that late, since it is not in code that is being unloaded. */
void fc_counters_forget(uint64_t start, uint64_t end)
{
    fc_lock(&all_lock);
    for (struct FcCounted *counted = all; counted; counted = counted->next)
        forget(counted, start, end);
    fc_unlock(&all_lock);
}

void fc_counters_forget_own(struct FcCounted *counted)
{
    uint64_t old = fc_block_signals();
    fc_lock(&all_lock);
    forget(counted, 0, UINT64_MAX);
    fc_unlock(&all_lock);
    fc_restore_signals(old);
}
