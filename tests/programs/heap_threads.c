/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: threads that allocate, pass their blocks on, and free or reallocate those of others,
 * at full speed and without a mistake.  Some of them sleep now and then, holding what they
 * recorded.  Prints what it did, by function, and how many blocks it left.
 * Usage: heap_threads THREADS SECONDS [LEFT [STEPS]]
 *
 * With STEPS it ends as soon as one thread has done as many: what a busy machine has to do for it
 * is then no more than what an idle one has.
 */
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOTS 64
#define THREADS_MAX 64
#define STEPS_MIN 1000

static _Atomic(void *) slots[SLOTS];
static atomic_int stop;
static sem_t enough;
static unsigned long steps = ULONG_MAX;
static atomic_ulong taken, taken_bytes, resized, given;

struct counts
{
    unsigned long taken, taken_bytes, resized, given;
};

__attribute__((noinline)) static void *take(size_t bytes)
{
    return malloc(bytes);
}

__attribute__((noinline)) static void give(void *block)
{
    free(block);
}

__attribute__((noinline)) static void *resize(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

/* What the thread did not ask for by name: the same few sizes, so that addresses are used again
 * at once. */
static void step(struct counts *counts, uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    unsigned draw = (unsigned)(*random >> 40);
    size_t bytes = 16 + 16 * (draw % 4);
    void *block = NULL;
    if (draw % 3 != 0)
    {
        block = take(bytes);
        counts->taken++;
        counts->taken_bytes += bytes;
    }
    block = atomic_exchange(&slots[(draw >> 4) % SLOTS], block);
    if (block == NULL)
        return;
    if (draw % 7 == 0)
    {
        block = resize(block, bytes + 200);
        counts->resized++;
    }
    give(block);
    counts->given++;
}

static void *work(void *number)
{
    struct counts counts = {0};
    uint64_t random = (uintptr_t)number;
    /* so many at least, as blocks are to be left where a thread had no turn until the end, too */
    for (unsigned long i = 1; i <= STEPS_MIN || !atomic_load_explicit(&stop, memory_order_relaxed);
         i++)
    {
        step(&counts, &random);
        if (i == steps)
            sem_post(&enough);
        /* one in four keeps its records to itself for a while */
        if ((uintptr_t)number % 4 == 1 && i % 1000 == 0)
            nanosleep(&(struct timespec){0, 30000000}, NULL);
    }
    atomic_fetch_add(&taken, counts.taken);
    atomic_fetch_add(&taken_bytes, counts.taken_bytes);
    atomic_fetch_add(&resized, counts.resized);
    atomic_fetch_add(&given, counts.given);
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t threads[THREADS_MAX];
    int count = argc > 1 ? atoi(argv[1]) : 8;
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    int left = argc > 3 ? atoi(argv[3]) : 0;
    struct timespec end;
    if (count < 1 || count > THREADS_MAX || sem_init(&enough, 0, 0) != 0)
        return 2;
    if (argc > 4)
        steps = strtoul(argv[4], NULL, 10);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds;
    end.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1)) != 0)
            return 2;
    sem_timedwait(&enough, &end);
    atomic_store(&stop, 1);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    int live = 0;
    for (int i = 0; i < SLOTS; i++)
    {
        void *block = atomic_load(&slots[i]);
        if (block == NULL)
            continue;
        if (live < left)
        {
            live++;
            continue;
        }
        give(block);
        atomic_fetch_add(&given, 1);
    }
    printf("taken %lu bytes %lu resized %lu given %lu left %d\n", atomic_load(&taken),
           atomic_load(&taken_bytes), atomic_load(&resized), atomic_load(&given), live);
    return 0;
}
