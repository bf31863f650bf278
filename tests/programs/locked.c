/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: locks its memory while threads are at work, and goes on.  Usage: locked
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 4
#define CALLS 200000

static void step(void)
{
    __asm__ volatile("");
}

static void *work(void *unused)
{
    for (int i = 0; i < CALLS; i++)
        step();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int turn = 0; turn < 2; turn++)
    {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], &small, work, NULL);
        usleep(2000);
        printf("mlockall: %s\n", mlockall(MCL_CURRENT) == 0 ? "done" : strerror(errno));
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    return 0;
}
