/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work of a given length, for C and C++ programs that say how long they were on the CPU.
 *
 * The host of a virtual machine takes the CPU from it as it likes ("steal", in /proc/stat): the
 * thread's CPU clock stands still meanwhile, but the thread is not switched out, and nothing in the
 * machine tells it.  For a profile that is time on the CPU, until the thread is switched out.
 */
#pragma once

#ifndef _GNU_SOURCE
#error "RUSAGE_THREAD"
#endif

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define STOLEN_PLAIN __attribute__((no_instrument_function, unused))

STOLEN_PLAIN static uint64_t stolen_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

STOLEN_PLAIN static long stolen_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Works until the thread was on the CPU for `ns` more.  Returns how long the CPU was stolen while
 * it did: for how long its CPU clock stood still, from one look to the next, with no switch in
 * these and the look before. */
STOLEN_PLAIN static uint64_t stolen_from_work(uint64_t ns)
{
    static volatile uint64_t sink;
    const uint64_t least = 100000;
    uint64_t stolen = 0;
    uint64_t cpu = stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t end = cpu + ns;
    uint64_t ahead = stolen_clock_ns(CLOCK_MONOTONIC_RAW) - cpu;
    long before = stolen_switches();
    long last = before;
    while (cpu < end)
    {
        for (unsigned i = 0; i < 1000; i++)
            sink = sink + i;
        const uint64_t time = stolen_clock_ns(CLOCK_MONOTONIC_RAW);
        cpu = stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        const uint64_t grown = time - cpu - ahead;
        const long switches = stolen_switches();
        if ((int64_t)grown > (int64_t)least && switches == before)
            stolen += grown;
        ahead = time - cpu;
        before = last;
        last = switches;
    }
    return stolen;
}
