/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * samples MS: calls two short functions in turn, one of which takes some ten times as long as the
 * other, until the process had so many ms of CPU, while a thread sleeps.  Prints how many calls of
 * each there were.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CALLS 100000

static volatile unsigned sink;
static atomic_bool is_asleep;

__attribute__((noinline)) static void brief(unsigned x)
{
    sink = x * 3;
}

__attribute__((noinline)) static void lengthy(unsigned x)
{
    for (int i = 0; i < 40; i++)
        x = x * 1664525 + 1013904223;
    sink = x;
}

__attribute__((noinline)) static void call_both(void)
{
    for (unsigned i = 0; i < CALLS; i++)
    {
        brief(i);
        lengthy(i);
    }
}

static void *sleep_on(void *unused)
{
    for (unsigned i = 0; i < CALLS; i++)
        brief(i);
    atomic_store(&is_asleep, true); /* or about to be: it calls no more */
    pause();
    return unused;
}

int main(int argc, char **argv)
{
    const double ms = argc > 1 ? atof(argv[1]) : 100;
    long calls = CALLS;
    pthread_t sleeper;
    if (pthread_create(&sleeper, NULL, sleep_on, NULL) != 0)
        return 1;
    do
    {
        call_both();
        calls += CALLS;
    } while ((double)clock() * 1000 / CLOCKS_PER_SEC < ms);
    while (!atomic_load(&is_asleep))
        sched_yield();
    printf("brief %ld\nlengthy %ld\n", calls, calls - CALLS);
    return 0;
}
