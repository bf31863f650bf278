/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The session's clock: what a tick is, and how the hooks read it.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <time.h>

/* What fc_clock_now reads.  Set by fc_start; a record may be made before: slow.c reads its time
 * again.  FC_CLOCK_OFF once profiling is off for good: the hooks look at nothing else then, and one
 * that sees the change late finds out in the slow path. */
extern enum FcTimeMode fc_clock_mode __attribute__((visibility("hidden")));
#define FC_CLOCK_OFF ((enum FcTimeMode)0)

static inline enum FcTimeMode fc_clock_get_mode(void)
{
#if defined(__SANITIZE_THREAD__)
    return __atomic_load_n(&fc_clock_mode, __ATOMIC_RELAXED);
#else
    return fc_clock_mode; /* a word all the same, and the hooks compare it in memory */
#endif
}

/* From here on the slow clocks do without the time-stamp counter: to read it will be an error. */
void fc_clock_forbid_counter(void);

/* Profiling is off for good. */
void fc_clock_turn_off(void);

/* Chooses the clock: `wanted`, or FC_TIME_EXT with a notice where the processor has no invariant
 * time-stamp counter, or where `memory` is profiled and the clock would be each thread's own.
 * Returns the mode chosen. */
enum FcTimeMode fc_clock_start(enum FcTimeMode wanted, bool memory);

/* Nanoseconds of the slow clocks (ext, cpu, sys).  Async-signal-safe. */
uint64_t fc_clock_read_slow(void);

/* CLOCK_MONOTONIC_RAW and CLOCK_THREAD_CPUTIME_ID in nanoseconds.  Async-signal-safe. */
uint64_t fc_clock_raw_ns(void);
uint64_t fc_clock_thread_ns(void);

/* CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds. */
uint64_t fc_clock_monotonic_ns(void);
int64_t fc_clock_realtime_ns(void);

/* As the processor tells them: to join the halves takes longer than to compare one.  Each is less
 * than 2^32. */
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

/* The counter, in ticks; unserialised, as the few nanoseconds that the reading may move by
 * are below its own cost. */
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

/* The clock, for other things than records: reading it does not advance the tests' clock. */
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
