/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Choice of the clock and the slow readings.  Called by start.c, and by all who need the time;
 * never fails: CLOCK_MONOTONIC is always there.
 */
#include "libfc/clock.h"

#include "libfc/libc.h"
#include "libfc/notice.h"

#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum FcTimeMode fc_clock_mode = FC_TIME_TSC;

#if defined(FC_TEST_CLOCK)
__thread uint64_t fc_clock_test_ticks;
#endif

static bool counter_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    int permission = PR_TSC_ENABLE;
    if (fc_sys(SYS_prctl, PR_GET_TSC, &permission) == 0 && permission != PR_TSC_ENABLE)
        return false; /* rdtsc would raise SIGSEGV */
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#elif defined(__aarch64__)
    return true; /* the generic timer counts at a fixed rate by definition */
#else
    return false;
#endif
}

enum FcTimeMode fc_clock_start(enum FcTimeMode wanted, bool memory)
{
#if defined(FC_TEST_CLOCK)
    (void)wanted;
    (void)memory;
    (void)counter_is_invariant;
    fc_clock_mode = FC_TIME_CPU; /* 1 tick = 1 ns, of the thread's own clock */
#else
    fc_clock_mode = wanted;
    if (memory && (wanted == FC_TIME_CPU || wanted == FC_TIME_SYS))
    {
        /* time puts in order what several threads do to one block: the clock must be the same */
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

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    fc_libc()->clock_gettime(clock, &now); /* can't fail for the clocks used here */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t fc_clock_monotonic_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t fc_clock_realtime_ns(void)
{
    return (int64_t)read_ns(CLOCK_REALTIME);
}

uint64_t fc_clock_read_slow(void)
{
    switch (fc_clock_mode)
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
