/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See overhead.h.  Runs a function that is written as the compiler would instrument it, and the
 * same function without hooks, and compares the times.  Meanwhile the cursor and the counter table
 * point to memory that only this file uses.
 *
 * The functions run in short batches.  The fastest batch counts, since it was not interrupted.  The
 * memory for the records is flushed from the cache first, because a recycled chunk is not in the
 * cache either.
 */
#include "libfc/process/overhead.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"
#include "libfc/count/depth.h"
#include "libfc/count/recorded.h"
#include "libfc/count/user-filter.h"
#include "libfc/stream/call-sites.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

#include <string.h>

#if defined(FC_TEST_CLOCK)
#include "libfc/base/libc.h"

/* The tests' clock is a counter, which can't measure overhead.  FC_TEST_OVERHEAD has the values
 * instead, separated by commas, in the order of FcOverhead. */
bool fc_overhead_measure(struct FcOverhead *overhead)
{
    const char *text = fc_libc_getenv("FC_TEST_OVERHEAD");
    if (!text)
        return false;
    uint32_t values[sizeof *overhead / sizeof(uint32_t)] = {0};
    for (uint32_t i = 0; *text != '\0' && i < sizeof *overhead / sizeof(uint32_t); text++)
        if (*text == ',')
            i++;
        else
            values[i] = values[i] * 10 + (uint32_t)(*text - '0');
    memcpy(overhead, values, sizeof values);
    return true;
}
#else

#define BATCHES_MIN 4u
#define BATCHES_MAX 24u
#define SHAPE_NS 300000u /* time limit of a measurement, after the fewest batches */
#define PARTS_OF_TICK 256u
#define GENERATION (FC_GENERATION_LONG | 1u)
#define RECORDED_CALLS (FC_UNITS / (2 * FC_RECORD_UNITS)) /* fill one chunk */
#define FUNCTIONS 4u                                      /* counted in turn, */
#define TURNS 24u /* each so often in one call of the function that they are inlined into */
#define COUNTED_CALLS (10u * FUNCTIONS * TURNS)

/* Fixes the positions of the measured functions and of the loop around them within cache lines.
 * Depending on the position alone, a call took from 2.4 to 4.7 ns. */
#define ALIGNED __attribute__((noinline, aligned(64)))
/* Functions are fastest at the start of a cache line, where most do not begin.  So 16 bytes of
 * nops come first. */
#if defined(__x86_64__)
#define NOPS 16
#else
#define NOPS 4
#endif
#define NOINLINE ALIGNED __attribute__((patchable_function_entry(NOPS, NOPS)))

typedef uint32_t Shape(uint32_t);

extern FcHook fc_hook_record_entry;
extern FcHook fc_hook_record_exit;
extern FcHook fc_hook_enter;
extern FcHook fc_hook_exit;
extern FcHook fc_hook_refill;

/* The functions that a module's hooks jump to.  They are in a variable, so that the compiler cannot
 * inline the calls. */
extern struct FcHookTargets fc_overhead_targets __attribute__((visibility("hidden")));
struct FcHookTargets fc_overhead_targets = {.record_entry = fc_hook_record_entry,
                                            .record_exit = fc_hook_record_exit,
                                            .enter = fc_hook_enter,
                                            .exit = fc_hook_exit,
                                            .refill = fc_hook_refill};
/* A made-up call site.  Volatile, so that it is loaded from memory, as a return address is. */
static void *volatile call_site = (void *)4096;

/* The two hooks as modules have them (module-hooks.c). */
ALIGNED static void enter(void *function, void *site)
{
    fc_counter_table_hook_enter(&fc_hooks, function, site, &fc_overhead_targets);
}

ALIGNED static void leave(void *function, void *site)
{
    fc_counter_table_hook_exit(&fc_hooks, function, site, &fc_overhead_targets);
}

/* Keeps the compiler from knowing what x is. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))

/* A function that does nothing, without hooks and as the compiler would instrument it. */
NOINLINE static uint32_t nothing_plain(uint32_t x)
{
    HIDE(x);
    HIDE(x);
    return x;
}
NOINLINE static uint32_t nothing_hooked(uint32_t x)
{
    Shape *const self = nothing_hooked;
    void *site = call_site;
    enter((void *)self, site);
    HIDE(x);
    HIDE(x);
    leave((void *)self, site);
    return x;
}

/* Calls several empty functions in turn, which are inlined, as most small functions are.  In the
 * plain version nothing is left of the calls.  The functions have made-up addresses. */
NOINLINE static uint32_t in_turn_plain(uint32_t x)
{
    for (uint32_t i = 0; i < TURNS; i++)
    {
        HIDE(x);
        HIDE(x);
        HIDE(x);
        HIDE(x);
    }
    return x;
}
#define FUNCTION(number) ((char *)in_turn_plain + 16 * (number))
#define DISSOLVED(number)                                                                          \
    enter(FUNCTION(number), site);                                                                 \
    HIDE(x);                                                                                       \
    leave(FUNCTION(number), site)
NOINLINE static uint32_t in_turn_hooked(uint32_t x)
{
    void *site = call_site;
    for (uint32_t i = 0; i < TURNS; i++)
    {
        DISSOLVED(0);
        DISSOLVED(1);
        DISSOLVED(2);
        DISSOLVED(3);
    }
    return x;
}

#if defined(FC_AFTER_INLINING)
extern Shape fc_overhead_after_inlining; /* overhead-after-inlining.S */
#endif

ALIGNED static uint64_t run_batch(Shape *function, uint32_t calls)
{
    uint32_t x = 1;
    const uint64_t start = fc_clock_now();
    for (uint32_t i = 0; i < calls; i++)
        x = function(x);
    HIDE(x);
    return fc_clock_now() - start;
}

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint64_t less(uint64_t from, uint64_t amount)
{
    return from > amount ? from - amount : 0;
}

static uint32_t each(uint64_t ticks, uint32_t calls)
{
    return (uint32_t)least(ticks * PARTS_OF_TICK / calls, UINT32_MAX);
}

/* Returns the time of the record at *at and advances *at to the next record. */
static uint64_t next_time(const struct FcChunk *chunk, uint32_t *at)
{
    const struct FcUnit *unit = &chunk->units[*at];
    *at += fc_record_units(unit, GENERATION);
    return unit->last & FC_SHORT_TIME_MASK; /* holds the time in a long record, too */
}

static uint64_t between_times(const struct FcChunk *chunk)
{
    uint64_t sum = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < RECORDED_CALLS; i++)
    {
        const uint64_t entered = next_time(chunk, &at);
        sum += (next_time(chunk, &at) - entered) & FC_SHORT_TIME_MASK;
    }
    return sum;
}

static bool goes_on(uint32_t batches, uint64_t start, uint64_t most_ns)
{
    return batches < BATCHES_MIN ||
           (batches < BATCHES_MAX && fc_clock_monotonic_ns() - start < most_ns);
}

/* Flushes the chunk from the cache.  fcmanager has read a recycled chunk, so its lines are in
 * another processor's cache. */
static void flush(const struct FcChunk *chunk)
{
    for (size_t at = 0; at < FC_CHUNK_BYTES; at += 64)
#if defined(__x86_64__)
        __asm__ volatile("clflush %0" : : "m"(((const char *)chunk)[at]) : "memory");
    __asm__ volatile("mfence" : : : "memory");
#else
        __asm__ volatile("dc civac, %0" : : "r"((const char *)chunk + at) : "memory");
    __asm__ volatile("dsb sy" : : : "memory");
#endif
}

/* Sets up call sites, as in a thread that records every call.  `sites` is zeroed memory. */
static void use_call_sites(struct FcCallSites *sites)
{
    if (fc_config.detail != FC_DETAIL_ALL || fc_hooks.table)
        return;
    sites->epoch = (uint32_t)(fc_clock_peek() >> 32);
    sites->low = (uint64_t)(uintptr_t)__builtin_frame_address(0) - (UINT64_C(1) << 31);
    fc_thread.call_sites = sites;
}

static void measure_recorded(const struct FcChunk *chunk, uint64_t cursor,
                             struct FcOverhead *overhead)
{
    uint64_t plain = UINT64_MAX;
    uint64_t hooked = UINT64_MAX;
    uint64_t inside = UINT64_MAX;
    const uint64_t start = fc_clock_monotonic_ns();
    for (uint32_t i = 0; goes_on(i, start, SHAPE_NS); i++)
    {
        plain = least(plain, run_batch(nothing_plain, RECORDED_CALLS));
        fc_thread_set_cursor(cursor);
        fc_switches_pretend();
        flush(chunk);
        hooked = least(hooked, run_batch(nothing_hooked, RECORDED_CALLS));
        inside = least(inside, between_times(chunk));
    }
    overhead->empty = each(plain, RECORDED_CALLS);
    overhead->recorded = each(less(hooked, plain), RECORDED_CALLS);
    overhead->inside = (uint32_t)least(each(inside, RECORDED_CALLS), overhead->recorded);
}

/* So many that no batch uses up a counter. */
#define CALLS_AHEAD UINT64_C(0x7000)

static void fill_counters(struct FcCounted *counted)
{
    for (uint32_t i = 0; i < counted->counts; i++)
        counted->chunk->counts[i].word = CALLS_AHEAD << 16 | CALLS_AHEAD;
}

/* Ticks that counting adds to a call.  `calls`: how many counted calls one run of `hooked` has. */
static uint32_t measure_counted(Shape *without, Shape *hooked, uint32_t calls,
                                struct FcCounted *counted, uint64_t cursor)
{
    const uint32_t rounds = COUNTED_CALLS / calls;
    uint64_t plain = UINT64_MAX;
    uint64_t with_hooks = UINT64_MAX;
    const uint64_t start = fc_clock_monotonic_ns();
    fc_thread_set_cursor(cursor);
    fc_switches_pretend();
    run_batch(hooked, 1); /* creates the counters */
    for (uint32_t i = 0; goes_on(i, start, SHAPE_NS); i++)
    {
        fill_counters(counted);
        plain = least(plain, run_batch(without, rounds));
        with_hooks = least(with_hooks, run_batch(hooked, rounds));
    }
    return each(less(with_hooks, plain), COUNTED_CALLS);
}

/* Makes the function a counted one, as counted.c does.  False: the table is full. */
static bool begin_counting(struct FcCounted *counted, uint64_t function)
{
    struct FcFunction *known = fc_counters_add(counted, function);
    if (known)
        fc_counters_publish(counted, known, function);
    return known;
}

#if defined(FC_AFTER_INLINING)
extern void fc_hook_fentry(void);
extern void fc_hook_fentry_refill(void);
extern void fc_hook_return(void);
void (*fc_overhead_next_fentry)(void) __attribute__((visibility("hidden"))) = fc_hook_fentry;
void (*fc_overhead_next_refill)(void) __attribute__((visibility("hidden"))) = fc_hook_fentry_refill;
void (*fc_overhead_next_return)(void) __attribute__((visibility("hidden"))) = fc_hook_return;

/* Measures a counted call of code that is instrumented after inlining.  Uses an empty table of
 * recorded calls. */
static void measure_after_inlining(struct FcCounted *counted, uint64_t cursor,
                                   struct FcOverhead *overhead)
{
    const struct FcHooks old = fc_hooks;
    struct FcRecorded *const recorded = fc_map(sizeof *recorded);
    if (!recorded)
        return;
    if (begin_counting(counted, (uint64_t)(uintptr_t)fc_overhead_after_inlining |
                                    FC_FUNCTION_AFTER_INLINING))
    {
        fc_recorded_use(recorded, 0, UINT64_MAX);
        overhead->after_inlining =
            measure_counted(nothing_plain, fc_overhead_after_inlining, 1, counted, cursor);
    }
    fc_hooks.recorded = old.recorded;
    fc_hooks.stack_start = old.stack_start;
    fc_hooks.room = old.room;
    fc_unmap(recorded, sizeof *recorded);
}
#endif

/* `memory` is zeroed and begins with two chunks. */
static void measure_in(char *memory, struct FcOverhead *overhead)
{
    struct FcChunk *const chunk = (struct FcChunk *)memory;
    struct FcCounted *const counted = (struct FcCounted *)(memory + 2 * FC_CHUNK_BYTES);
    const uint64_t cursor = FC_CURSOR(chunk, GENERATION, 0);
    const uint64_t old_cursor = fc_thread.cursor;
    struct FcCounterTable *const old_table = fc_hooks.table;
    struct FcCounted *const old_counted = fc_thread.counted;
    uint64_t *const old_current_word = fc_hooks.current_word;

    fc_thread.counted = counted;
    fc_counters_set_current_word(NULL);
    fc_hooks.table = fc_config.detail == FC_DETAIL_AUTO ? &counted->table : NULL;
    if (fc_user_filter_is_on())
    {
        const uint64_t function = (uint64_t)(uintptr_t)nothing_hooked;
        fc_hooks.table = &counted->table;
        counted->table.is_slow = true;
        *fc_counter_table_recorded(fc_hooks.table, function) = function;
    }
    if (fc_depth_is_on())
    {
        fc_depth_begin();
        fc_depth_set_limit(2);
        fc_counters_install_table(counted);
    }
    use_call_sites((struct FcCallSites *)(counted + 1));
    measure_recorded(chunk, cursor, overhead);
    fc_thread.call_sites = NULL;
    counted->table.is_slow = false;

    counted->chunk = (struct FcChunk *)(memory + FC_CHUNK_BYTES);
    counted->random = 1;
    counted->is_steady = true;
    fc_depth_set_limit(0); /* a call beyond the depth limit takes as long as a counted one */
    fc_counters_install_table(counted);
    bool is_counting = true;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        is_counting = is_counting && begin_counting(counted, (uint64_t)(uintptr_t)FUNCTION(i));
    if (is_counting)
        overhead->counted =
            measure_counted(in_turn_plain, in_turn_hooked, FUNCTIONS * TURNS, counted, cursor);
#if defined(FC_AFTER_INLINING)
    measure_after_inlining(counted, cursor, overhead);
#endif
    fc_counters_free_tables(counted);
    fc_depth_reset_limit();

    fc_thread.counted = old_counted;
    fc_hooks.table = old_table;
    fc_hooks.current_word = old_current_word;
    fc_thread_set_cursor(old_cursor);
}

bool fc_overhead_measure(struct FcOverhead *overhead)
{
    if (fc_clock_get_mode() == FC_TIME_SYS) /* a clock of whole milliseconds */
        return false;
    const size_t bytes = 3 * FC_CHUNK_BYTES + sizeof(struct FcCounted) + sizeof(struct FcCallSites);
    char *memory = fc_map(bytes);
    if (!memory)
        return false;
    const uintptr_t aligned = ((uintptr_t)memory + FC_CHUNK_BYTES - 1) & -(uintptr_t)FC_CHUNK_BYTES;
    measure_in((char *)aligned, overhead);
    fc_unmap(memory, bytes);
    return true;
}
#endif
