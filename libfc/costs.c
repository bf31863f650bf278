/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See costs.h.  The hooks themselves are called, by functions that are written as the compiler
 * would instrument them, and the time is compared with that of the same functions without hooks.
 * The hooks find a cursor and a filter that lead to memory of this file alone.
 *
 * In short batches, of which the fastest counts: nobody took the processor from it.
 */
#include "libfc/costs.h"

#include "libfc/channel.h"
#include "libfc/clock.h"
#include "libfc/config.h"
#include "libfc/filter.h"
#include "libfc/record.h"
#include "libfc/thread.h"

#if defined(FC_TEST_CLOCK)
#include "libfc/libc.h"

#include <string.h>

/* The tests' clock is a counter, which tells nothing of costs: the tests do, in FcCosts' order. */
static bool measure(struct FcCosts *costs)
{
    const char *text = fc_libc_getenv("FC_TEST_COSTS");
    if (!text)
        return false;
    uint32_t values[sizeof *costs / sizeof(uint32_t)] = {0};
    for (uint32_t i = 0; *text != '\0' && i < sizeof *costs / sizeof(uint32_t); text++)
        if (*text == ',')
            i++;
        else
            values[i] = values[i] * 10 + (uint32_t)(*text - '0');
    memcpy(costs, values, sizeof values);
    return true;
}
#else

#define COUNTED_CALLS 240u /* divides by RECURSION + 1 */
#define RECURSION 19u
#define RECORDED_CALLS (FC_SLOTS / 2) /* all that a chunk holds */
#define BATCHES_MIN 3u
#define BATCHES_MAX 24u
#define SHAPE_NS 200000u /* no further batches then */
#define PARTS_OF_TICK 256u
#define SHAPES 4u
#define GENERATION 1u

#define NOINLINE __attribute__((noinline))

typedef uint32_t Shape(uint32_t);
typedef void Hook(void *function, void *site);

extern Hook fc_hook_enter;
extern Hook fc_hook_exit;

/* As a procedure linkage table does: a jump to where memory says. */
static Hook *volatile enter_hook = fc_hook_enter;
static Hook *volatile exit_hook = fc_hook_exit;
static void *volatile call_site = (void *)4096; /* as a return address it comes from memory */

NOINLINE static void enter(void *function, void *site)
{
    enter_hook(function, site);
}

NOINLINE static void leave(void *function, void *site)
{
    exit_hook(function, site);
}

/* Keeps the compiler from knowing what x is. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))

#define INSTRUMENTED(shape, body)                                                                  \
    NOINLINE static uint32_t shape##_plain(uint32_t x)                                             \
    {                                                                                              \
        Shape *const self = shape##_plain;                                                         \
        (void)self;                                                                                \
        body;                                                                                      \
        HIDE(x);                                                                                   \
        return x;                                                                                  \
    }                                                                                              \
    NOINLINE static uint32_t shape##_hooked(uint32_t x)                                            \
    {                                                                                              \
        Shape *const self = shape##_hooked;                                                        \
        void *site = call_site;                                                                    \
        enter((void *)self, site);                                                                 \
        body;                                                                                      \
        HIDE(x);                                                                                   \
        leave((void *)self, site);                                                                 \
        return x;                                                                                  \
    }

/* It does nothing; it waits for what the call before it returned; it calls itself. */
INSTRUMENTED(nothing, HIDE(x))
INSTRUMENTED(waiting, x = x * 1664525u + 1)
INSTRUMENTED(recursive, x = x != 0 ? self(x - 1) * 3 + 1 : 1)

/* In the order of FcCosts.counted.  Called in turn. */
static const struct
{
    Shape *plain[2];
    Shape *hooked[2];
} shapes[SHAPES] = {
    {{nothing_plain, nothing_plain}, {nothing_hooked, nothing_hooked}},
    {{waiting_plain, waiting_plain}, {waiting_hooked, waiting_hooked}},
    {{recursive_plain, recursive_plain}, {recursive_hooked, recursive_hooked}},
    {{nothing_plain, waiting_plain}, {nothing_hooked, waiting_hooked}},
};
#define IS_RECURSIVE(shape) ((shape)[0] == recursive_plain || (shape)[0] == recursive_hooked)

struct Workshop
{
    struct FcFilter filter;
    struct FcCount counts[3]; /* of the three functions */
};

static uint64_t run_batch(Shape *const *functions, uint32_t calls)
{
    const bool is_recursive = IS_RECURSIVE(functions);
    const uint32_t rounds = is_recursive ? calls / (RECURSION + 1) : calls;
    uint32_t x = 1;
    const uint64_t start = fc_clock_now();
    for (uint32_t i = 0; i < rounds; i++)
        x = functions[i & 1](is_recursive ? RECURSION : x);
    HIDE(x);
    return fc_clock_now() - start;
}

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint32_t each(uint64_t ticks, uint32_t calls)
{
    return (uint32_t)least(ticks * PARTS_OF_TICK / calls, UINT32_MAX);
}

/* The ticks that hooks add to a call of the shape, in PARTS_OF_TICK. */
static uint32_t measure_counted(struct Workshop *workshop, uint32_t shape)
{
    uint64_t plain = UINT64_MAX;
    uint64_t hooked = UINT64_MAX;
    const uint64_t start = fc_clock_monotonic_ns();
    for (uint32_t i = 0; i < BATCHES_MAX; i++)
    {
        if (i >= BATCHES_MIN && fc_clock_monotonic_ns() - start > SHAPE_NS)
            break;
        for (uint32_t k = 0; k < sizeof workshop->counts / sizeof *workshop->counts; k++)
            workshop->counts[k].word = INT16_MAX;
        plain = least(plain, run_batch(shapes[shape].plain, COUNTED_CALLS));
        hooked = least(hooked, run_batch(shapes[shape].hooked, COUNTED_CALLS));
    }
    return hooked > plain ? each(hooked - plain, COUNTED_CALLS) : 0;
}

static uint64_t between_times(const struct FcChunk *chunk)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 2 * RECORDED_CALLS; i += 2)
        sum += chunk->records[i + 1].time - chunk->records[i].time;
    return sum;
}

static void measure_recorded(const struct FcChunk *chunk, struct FcCosts *costs)
{
    const uint64_t cursor = (uint64_t)(uintptr_t)chunk >> 16 << 32 | GENERATION << 16;
    uint64_t plain = UINT64_MAX;
    uint64_t hooked = UINT64_MAX;
    uint64_t inside = UINT64_MAX;
    const uint64_t start = fc_clock_monotonic_ns();
    for (uint32_t i = 0; i < BATCHES_MAX; i++)
    {
        if (i >= BATCHES_MIN && fc_clock_monotonic_ns() - start > SHAPE_NS)
            break;
        plain = least(plain, run_batch(shapes[0].plain, RECORDED_CALLS));
        fc_thread_set_cursor(cursor);
        hooked = least(hooked, run_batch(shapes[0].hooked, RECORDED_CALLS));
        inside = least(inside, between_times(chunk));
    }
    costs->recorded = hooked > plain ? each(hooked - plain, RECORDED_CALLS) : 0;
    costs->inside = (uint32_t)least(each(inside, RECORDED_CALLS), costs->recorded);
}

/* False where two of the three functions would have the same place in the tables. */
static bool count_in_workshop(struct Workshop *workshop)
{
    Shape *const functions[] = {nothing_hooked, waiting_hooked, recursive_hooked};
    const uint64_t site = (uint64_t)(uintptr_t)call_site;
    for (uint32_t i = 0; i < sizeof functions / sizeof *functions; i++)
    {
        const uint64_t function = (uint64_t)(uintptr_t)functions[i];
        struct FcPair *pair = fc_filter_pair(&workshop->filter, function, site);
        struct FcSlot *slot = fc_filter_slot(&workshop->filter, function);
        if (pair->function != 0 || slot->function != 0)
            return false;
        *pair = (struct FcPair){function, site, &workshop->counts[i], NULL};
        *slot = (struct FcSlot){function, FC_NO_LIMIT};
    }
    return true;
}

static void measure_in(struct Workshop *workshop, const struct FcChunk *chunk,
                       struct FcCosts *costs)
{
    const uint64_t cursor = fc_thread.cursor;
    struct FcFilter *const filter = fc_filter;
    fc_filter = fc_config.detail == FC_DETAIL_AUTO ? &workshop->filter : NULL;
    measure_recorded(chunk, costs);
    const bool is_counting = count_in_workshop(workshop);
    fc_filter = &workshop->filter;
    for (uint32_t i = 0; i < SHAPES && is_counting; i++)
        costs->counted[i] = measure_counted(workshop, i);
    fc_filter = filter;
    fc_thread_set_cursor(cursor);
}

static bool measure(struct FcCosts *costs)
{
    if (fc_clock_get_mode() == FC_TIME_SYS) /* which counts whole milliseconds */
        return false;
    const size_t bytes = 2 * FC_CHUNK_BYTES + sizeof(struct Workshop);
    char *memory = fc_map(bytes);
    if (!memory)
        return false;
    const uintptr_t chunk = ((uintptr_t)memory + FC_CHUNK_BYTES - 1) & -(uintptr_t)FC_CHUNK_BYTES;
    measure_in((struct Workshop *)(memory + 2 * FC_CHUNK_BYTES), (const struct FcChunk *)chunk,
               costs);
    fc_unmap(memory, bytes);
    return true;
}
#endif

void fc_costs_tell(void)
{
    struct FcCosts costs = {0};
    struct FcMessage message = {.type = FC_MSG_COSTS};
    if (measure(&costs))
        fc_channel_send(&message, &costs, sizeof costs);
}
