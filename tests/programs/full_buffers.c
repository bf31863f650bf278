/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that wait, each with a few more calls made than the one before, while the program ends:
 * the record of the last call ends wherever one may in a buffer.  Prints the calls of leaf() and of
 * wait_here().
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define CALLS                                                                                      \
    200 /* at most; more than go in two buffers, of which the first has long records alone */

static pthread_barrier_t barrier;
static volatile int sum;

__attribute__((noinline)) static void leaf(void)
{
    sum++;
}

__attribute__((noinline)) static void wait_here(void)
{
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
}

PLAIN static void call(long times)
{
    for (long i = 0; i < times; i++)
        leaf();
    wait_here();
}

/* The record of one more entry is before the others. */
__attribute__((noinline)) static void around(long times)
{
    call(times);
}

PLAIN static void *start(void *number)
{
    const long which = (long)number;
    if (which % 2 != 0)
        around(which / 2);
    else
        call(which / 2);
    return NULL;
}

PLAIN int main(void)
{
    long calls = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2 * CALLS; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, start, (void *)i) != 0)
            abort();
        pthread_barrier_wait(&barrier);
        calls += i / 2;
    }
    printf("%ld %d\n", calls, 2 * CALLS);
    return 0;
}
