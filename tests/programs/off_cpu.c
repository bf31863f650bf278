/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sleeps in one function, works in another, waits for a pipe and for a lock in others, and in a
 * thread for all of it; prints what its own clocks say: "NAME WALL CPU" in ns, for each.  CPU has
 * in it what was stolen from the machine.
 */
#define _GNU_SOURCE
#include "stolen.h"

#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function))

typedef struct
{
    uint64_t wall;
    uint64_t cpu;
} Times;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pipe_ends[2];
static uint64_t stolen;

PLAIN static Times now(void)
{
    return (Times){stolen_clock_ns(CLOCK_MONOTONIC),
                   stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID) + stolen};
}

PLAIN static void tell(const char *name, Times from)
{
    Times to = now();
    printf("%s %llu %llu\n", name, (unsigned long long)(to.wall - from.wall),
           (unsigned long long)(to.cpu - from.cpu));
}

PLAIN static void nap(unsigned milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

ALONE void sleeps(void)
{
    nap(300);
}

ALONE void works(void)
{
    stolen += stolen_from_work(300000000u);
}

ALONE void reads(void)
{
    char byte;
    if (read(pipe_ends[0], &byte, 1) != 1)
        abort();
}

ALONE void locks(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

ALONE void calls_all(void)
{
    sleeps();
    works();
}

ALONE void *waits_long(void *unused)
{
    nap(200);
    if (write(pipe_ends[1], "", 1) != 1)
        abort();
    nap(200);
    pthread_mutex_unlock(&lock);
    nap(300);
    return unused;
}

#define MEASURE(function)                                                                          \
    do                                                                                             \
    {                                                                                              \
        Times from = now();                                                                        \
        function();                                                                                \
        tell(#function, from);                                                                     \
    } while (0)

int main(void)
{
    pthread_t thread;
    if (pipe(pipe_ends) != 0)
        return 1;
    pthread_mutex_lock(&lock);
    if (pthread_create(&thread, NULL, waits_long, NULL) != 0)
        return 1;
    MEASURE(reads);
    MEASURE(locks);
    MEASURE(calls_all);
    pthread_join(thread, NULL);
    return 0;
}
