/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The instrumented part: threads that work at the same time, that come and go meanwhile, and that
 * are still at work when the process ends.  step() is called STEPS times and a number of
 * times more that is told on standard output.  With arguments, LIBRARY MS: changes.c instead.
 */
#include "tests/race/race.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RESTLESS 3
#define AT_ONCE 30
#define IN_TURN 100
#define STEPS 4000

static unsigned long steps; /* atomic */
static int stop;            /* atomic */
static int stopped;         /* atomic: so many of the restless */

static void step(void)
{
    __atomic_fetch_add(&steps, 1, __ATOMIC_RELAXED);
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
        step();
}

static void *busy(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "busy-%d", (int)(size_t)number);
    pthread_setname_np(pthread_self(), name);
    work(STEPS);
    return NULL;
}

static void *brief(void *unused)
{
    work(5);
    return unused;
}

static void *restless(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        work(100);
    __atomic_fetch_add(&stopped, 1, __ATOMIC_RELAXED);
    for (;;)
        pause();
    return unused;
}

static pthread_t create(void *(*function)(void *), size_t number)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, (void *)number) != 0)
        abort();
    return thread;
}

int main(int argc, char **argv)
{
    pthread_t threads[AT_ONCE];
    if (argc == 3)
    {
        race_change(argv[1], atol(argv[2]));
        return 0;
    }
    for (size_t i = 0; i < RESTLESS; i++)
        pthread_detach(create(restless, i));
    for (size_t i = 0; i < AT_ONCE; i++)
        threads[i] = create(busy, i);
    for (size_t i = 0; i < IN_TURN; i++)
        pthread_join(create(brief, i), NULL);
    for (size_t i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&stopped, __ATOMIC_RELAXED) < RESTLESS)
        usleep(1000);
    printf("%lu\n", __atomic_load_n(&steps, __ATOMIC_RELAXED));
    return 0;
}
