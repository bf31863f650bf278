/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a function waits for 100 ms, of which libfc sees nothing, as it is made to believe that
 * the thread was not switched out: it is as if the host of a virtual machine had taken the
 * processor away.  Then its caller is switched out, for a moment.  Prints "NAME WALL CPU", in ns,
 * by its own clocks.  Status 77: there is no area for restartable sequences.
 */
#define _GNU_SOURCE
#include "stolen.h"

#include <stdio.h>
#include <sys/rseq.h>

#define PLAIN __attribute__((no_instrument_function))
#define CALLS 50

static uint64_t wall;
static uint64_t cpu;

PLAIN static void wait_for(long ns)
{
    const struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

PLAIN static void wait_unseen(long ns)
{
    uint64_t *pointer =
        (uint64_t *)(void *)((char *)__builtin_thread_pointer() + __rseq_offset + 8);
    const uint64_t was = __atomic_load_n(pointer, __ATOMIC_RELAXED);
    wait_for(ns);
    __atomic_store_n(pointer, was, __ATOMIC_RELAXED);
}

static void works(int is_one)
{
    const uint64_t begun = stolen_clock_ns(CLOCK_MONOTONIC);
    const uint64_t before = stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    cpu += stolen_from_work(2000000);
    if (is_one)
        wait_unseen(100000000);
    cpu += stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    wall += stolen_clock_ns(CLOCK_MONOTONIC) - begun;
}

static void calls(void)
{
    for (int i = 0; i < CALLS; i++)
        works(i == CALLS / 2);
    wait_for(1);
}

int main(void)
{
    if (__rseq_size == 0)
        return 77;
    calls();
    printf("works %llu %llu\n", (unsigned long long)wall, (unsigned long long)cpu);
    return 0;
}
