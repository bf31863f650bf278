/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: two threads that contend for a lock, two that do not, and one alone.
 */
#define PHASE_CLOCK CLOCK_PROCESS_CPUTIME_ID
#include "phases.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t shared;

NOINLINE static uint32_t step(uint32_t x)
{
    return x * 1664525u + 1013904223u;
}

NOINLINE static void deposit(uint64_t amount)
{
    pthread_mutex_lock(&lock);
    shared += amount;
    pthread_mutex_unlock(&lock);
}

NOINLINE static uint32_t grind(uint32_t x)
{
    for (int i = 0; i < 200; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

PHASE_LINKAGE NOINLINE void *phase_contended(void *unused)
{
    (void)unused;
    for (int i = 0; i < 30000; i++)
        deposit((uint64_t)i);
    return NULL;
}

PHASE_LINKAGE NOINLINE void *phase_apart(void *unused)
{
    (void)unused;
    uint32_t x = 1;
    for (int i = 0; i < 600000; i++)
        x = step(x);
    sink = x;
    return NULL;
}

PHASE_LINKAGE NOINLINE void *phase_grinding(void *unused)
{
    (void)unused;
    uint32_t x = 1;
    for (int i = 0; i < 4000; i++)
        x = grind(x);
    sink = x;
    return NULL;
}

OUTSIDE void in_two(void *(*body)(void *))
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

OUTSIDE void contended(void)
{
    in_two(phase_contended);
}

OUTSIDE void apart(void)
{
    in_two(phase_apart);
}

OUTSIDE void grinding(void)
{
    in_two(phase_grinding);
}

PHASES_MAIN({"contended", contended}, {"apart", apart}, {"grinding", grinding})
