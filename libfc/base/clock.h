/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The session's clock: what a tick is, and how the hooks read it.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <time.h>

/* The clock that fc_clock_now reads. fc_start sets it; a record may be made before, with a slow
 * clock, whose time slow.c reads again.  It is FC_CLOCK_OFF once profiling is off for good: a hook
 * that sees this does nothing else.  A hook that sees it late finds out in the slow path. */
extern enum FcTimeMode fc_clock_mode __attribute__((visibility("hidden")));
#define FC_CLOCK_OFF ((enum FcTimeMode)0)

static inline enum FcTimeMode fc_clock_get_mode(void)
{
#if defined(__SANITIZE_THREAD__)
    return __atomic_load_n(&fc_clock_mode, __ATOMIC_RELAXED);
#else
    return fc_clock_mode; /* one word, which the hooks compare in memory */
#endif
}

/* From here on the slow clocks do not use the time-stamp counter: reading it will be an error. */
void fc_clock_forbid_counter(void);

/* Profiling is off for good: sets FC_CLOCK_OFF. */
void fc_clock_turn_off(void);

/* Chooses the clock and returns its mode: `wanted`, or FC_TIME_EXT with a notice.  The latter if
 * the processor has no invariant time-stamp counter, or if `memory` is profiled and `wanted` is
 * a clock of each thread's own. */
enum FcTimeMode fc_clock_start(enum FcTimeMode wanted, bool memory);

/* Nanoseconds of the slow clocks (ext, cpu, sys).  Async-signal-safe. */
uint64_t fc_clock_read_slow(void);

/* CLOCK_MONOTONIC_RAW and CLOCK_THREAD_CPUTIME_ID in nanoseconds.  Async-signal-safe. */
uint64_t fc_clock_raw_ns(void);
uint64_t fc_clock_thread_ns(void);

/* CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds. */
uint64_t fc_clock_monotonic_ns(void);
int64_t fc_clock_realtime_ns(void);

/* A time-stamp as the processor returns it, in halves of less than 2^32 each.  Comparing one
 * half is cheaper than joining both. */
struct FcTicks
{
    uint64_t high;
    uint64_t low;
};

static inline __attribute__((always_inline)) uint64_t fc_clock_join(struct FcTicks ticks)
{
    return ticks.high << 32 | ticks.low;
}

static inline __attribute__((always_inline)) struct FcTicks fc_clock_split(uint64_t ticks)
{
    return (struct FcTicks){ticks >> 32, (uint32_t)ticks};
}

#if defined(FC_TEST_CLOCK)
/* Tests: each record of a thread is 1000 ticks after the one before. */
extern __thread uint64_t fc_clock_test_ticks __attribute__((tls_model("initial-exec")));

static inline bool fc_clock_is_fast(void)
{
    return true;
}

static inline uint64_t fc_clock_read_fast(void)
{
    return fc_clock_test_ticks += 1000;
}

static inline struct FcTicks fc_clock_read_halves(void)
{
    return fc_clock_split(fc_clock_read_fast());
}

static inline uint64_t fc_clock_peek(void)
{
    return fc_clock_test_ticks;
}
#else
/* Whether the hooks may read the time-stamp counter. */
static inline bool fc_clock_is_fast(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return fc_likely(fc_clock_get_mode() == FC_TIME_TSC);
#else
    return false;
#endif
}

/* Reads the counter, in ticks.  Not serialized: the few nanoseconds by which the read may move
 * are less than its cost. */
static inline struct FcTicks fc_clock_read_halves(void)
{
#if defined(__x86_64__)
    struct FcTicks ticks;
    __asm__ volatile("rdtsc" : "=d"(ticks.high), "=a"(ticks.low));
    return ticks;
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return fc_clock_split(ticks);
#else
    return (struct FcTicks){0, 0};
#endif
}

static inline uint64_t fc_clock_read_fast(void)
{
    return fc_clock_join(fc_clock_read_halves());
}

/* The clock, for other uses than records: does not advance the clock of tests. */
static inline uint64_t fc_clock_peek(void)
{
    return fc_clock_is_fast() ? fc_clock_read_fast() : fc_clock_read_slow();
}
#endif

/* The session's clock, in ticks; async-signal-safe. */
static inline uint64_t fc_clock_now(void)
{
    return fc_clock_is_fast() ? fc_clock_read_fast() : fc_clock_read_slow();
}
