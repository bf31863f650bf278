/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: THREADS threads at once that each call step() CALLS times, then the same
 * number of short threads one after the other with one call each: every other one
 * leaves by pthread_exit from a nested call, the rest are detached and alive still
 * when main returns.  Usage: manythreads THREADS CALLS
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t detached_done;

static unsigned step(unsigned value)
{
    return value * 1664525u + 1013904223u;
}

static void *busy(void *calls)
{
    unsigned value = 1;
    for (uintptr_t i = 0; i < (uintptr_t)calls; i++)
        value = step(value);
    return (void *)(uintptr_t)value;
}

static void leave(void)
{
    step(1);
    pthread_exit(NULL);
}

static void *leaves_early(void *unused)
{
    (void)unused;
    leave();
    return NULL;
}

static void *detached(void *unused)
{
    (void)unused;
    step(1);
    sem_post(&detached_done);
    pause();
    return NULL;
}

static pthread_t create(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        abort();
    return thread;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 4;
    uintptr_t calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    pthread_t *all = calloc((size_t)threads, sizeof *all);
    if (all == NULL || sem_init(&detached_done, 0, 0) != 0)
        abort();
    for (int i = 0; i < threads; i++)
        all[i] = create(busy, (void *)calls);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    for (int i = 0; i < threads; i++)
    {
        if (i % 2 == 0)
        {
            pthread_join(create(leaves_early, NULL), NULL);
            continue;
        }
        pthread_detach(create(detached, NULL));
        sem_wait(&detached_done);
    }
    free(all);
    return 0;
}
