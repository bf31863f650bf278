/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Choice of the clock and the slow readings.  Called by start.c, and by all who need the time;
 * never fails: CLOCK_MONOTONIC is always there.
 */
#include "libfc/base/clock.h"

#include "libfc/base/libc.h"
#include "libfc/base/notice.h"

#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Off until the loader has relocated this library.  Before that, ifunc resolvers of other
 * libraries may already run and call the hooks, which can't use anything of libfc yet. */
enum FcTimeMode fc_clock_mode = FC_CLOCK_OFF;

/* An ifunc, by whose resolver libfc learns that it is relocated: the loader calls resolvers after
 * all other relocations, and before any other code of this library.  The resolver sets a slow
 * clock, no matter which, so that the hooks take the slow path, which checks the rest. */
static void is_relocated(void)
{
}

/* Without sanitizers, whose functions can't be called so early.  `used`: clang does not see the
 * use by name below. */
typedef void Resolved(void);
__attribute__((used, no_sanitize("thread", "address", "undefined"))) static Resolved *
resolve_relocated(void)
{
    fc_clock_mode = FC_TIME_EXT;
    return is_relocated;
}

static void relocated(void) __attribute__((ifunc("resolve_relocated")));
__attribute__((used)) static void (*const volatile asks_for_it)(void) = relocated;

#if defined(FC_TEST_CLOCK)
__thread uint64_t fc_clock_test_ticks;
#endif

static bool is_counter_forbidden; /* to read it would raise SIGSEGV */

static void ask_for_counter(void)
{
#if defined(__x86_64__)
    int permission = PR_TSC_ENABLE;
    fc_sys(SYS_prctl, PR_GET_TSC, &permission);
    is_counter_forbidden = permission != PR_TSC_ENABLE;
#endif
}

static bool counter_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return !is_counter_forbidden && __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#elif defined(__aarch64__)
    return true; /* the generic timer counts at a fixed rate by definition */
#else
    return false;
#endif
}

enum FcTimeMode fc_clock_start(enum FcTimeMode wanted, bool memory)
{
    ask_for_counter();
#if defined(FC_TEST_CLOCK)
    (void)wanted;
    (void)memory;
    (void)counter_is_invariant;
    fc_clock_mode = FC_TIME_CPU; /* 1 tick = 1 ns, of the thread's own clock */
#else
    fc_clock_mode = wanted;
    if (memory && (wanted == FC_TIME_CPU || wanted == FC_TIME_SYS))
    {
        /* the times tell in which order threads used a block, so all threads need one clock */
        fc_notice("memory is profiled with the time of all threads, time mode is ext");
        fc_clock_mode = FC_TIME_EXT;
    }
    if (wanted == FC_TIME_TSC && !counter_is_invariant())
    {
        fc_notice("no invariant time-stamp counter here, time mode is ext");
        fc_clock_mode = FC_TIME_EXT;
    }
#endif
    return fc_clock_mode;
}

void fc_clock_forbid_counter(void)
{
    __atomic_store_n(&is_counter_forbidden, true, __ATOMIC_RELAXED);
}

void fc_clock_turn_off(void)
{
    __atomic_store_n(&fc_clock_mode, FC_CLOCK_OFF, __ATOMIC_RELAXED);
}

static uint64_t to_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* By the kernel, without libc's short cut, which reads the counter. */
static uint64_t ask_kernel_ns(clockid_t clock)
{
    struct timespec now;
    fc_sys(SYS_clock_gettime, clock, &now); /* can't fail for the clocks used here */
    return to_ns(&now);
}

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    if (__atomic_load_n(&is_counter_forbidden, __ATOMIC_RELAXED))
        return ask_kernel_ns(clock);
    fc_libc()->clock_gettime(clock, &now);
    return to_ns(&now);
}

uint64_t fc_clock_raw_ns(void)
{
    return read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t fc_clock_thread_ns(void)
{
    return ask_kernel_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t fc_clock_monotonic_ns(void)
{
    return ask_kernel_ns(CLOCK_MONOTONIC);
}

int64_t fc_clock_realtime_ns(void)
{
    return (int64_t)ask_kernel_ns(CLOCK_REALTIME);
}

uint64_t fc_clock_read_slow(void)
{
    switch (fc_clock_get_mode())
    {
    case FC_TIME_CPU:
        return read_ns(CLOCK_THREAD_CPUTIME_ID);
    case FC_TIME_SYS:
    {
        struct rusage usage;
        fc_sys(SYS_getrusage, RUSAGE_THREAD, &usage);
        return (uint64_t)usage.ru_stime.tv_sec * 1000000000u +
               (uint64_t)usage.ru_stime.tv_usec * 1000u;
    }
    case FC_TIME_TSC:
    case FC_TIME_EXT:
        break;
    }
    return read_ns(CLOCK_MONOTONIC);
}
