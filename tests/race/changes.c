/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The instrumented part where functions change between timed and counted, in THREADS threads at
 * a time.  To counted they change when a thread has found them short, one of them only after it
 * took long for a while; to timed again when the thread ends and another takes its place, and, in
 * all threads, when the library they are in is unloaded.  Prints how often each function was
 * called.
 */
#include "tests/race/race.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 8
#define LIFE_MS 150  /* of a thread, */
#define LOADED_MS 20 /* and of the library */
#define LONG_CALLS 6 /* the first ones of varying() in each thread, */
#define LONG_MS 2    /* which take so long */
#define NO_HOOKS __attribute__((no_instrument_function))

enum Function
{
    LEAF,
    MIDDLE,
    FIB,
    VARYING,
    OUTSIDE,
    WITHIN,
    FUNCTIONS
};

static const char *const names[FUNCTIONS] = {"leaf",    "middle",  "fib",
                                             "varying", "outside", "within"};

typedef unsigned Outside(unsigned x, unsigned long *within);

static __thread unsigned long calls[FUNCTIONS];
static unsigned long sums[FUNCTIONS]; /* under `lock` */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t loaded = PTHREAD_RWLOCK_INITIALIZER;
static Outside *outside; /* under `loaded`, as is its code */
static int stop;         /* atomic */

NO_HOOKS static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

NO_HOOKS static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

__attribute__((noinline)) static unsigned leaf(unsigned x)
{
    calls[LEAF]++;
    return x * 1664525u + 1;
}

__attribute__((noinline)) static unsigned middle(unsigned x)
{
    calls[MIDDLE]++;
    for (unsigned i = 0; i < (x >> 16 & 7); i++)
        x = leaf(x);
    return x;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    calls[FIB]++;
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static unsigned varying(unsigned x)
{
    if (++calls[VARYING] <= LONG_CALLS)
        nap_ms(LONG_MS);
    return leaf(x);
}

NO_HOOKS static unsigned call_library(unsigned x)
{
    if (pthread_rwlock_tryrdlock(&loaded) != 0)
        return x;
    for (int i = 0; i < 50; i++)
    {
        calls[OUTSIDE]++;
        x = outside(x, &calls[WITHIN]);
    }
    pthread_rwlock_unlock(&loaded);
    return x;
}

NO_HOOKS static void *live(void *number)
{
    unsigned x = (unsigned)(size_t)number;
    for (long end = now_ms() + LIFE_MS; now_ms() < end;)
    {
        for (int i = 0; i < 50; i++)
            x = varying(middle(x));
        x = call_library(x + fib(6));
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FUNCTIONS; i++)
        sums[i] += calls[i];
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Has one thread after the other take the place of the one before it. */
NO_HOOKS static void *keep_alive(void *number)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, live, number) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    return NULL;
}

NO_HOOKS static void *load(const char *library)
{
    void *handle = race_dlopen(library);
    outside = handle ? (Outside *)dlsym(handle, "outside") : NULL;
    if (!outside)
        abort();
    return handle;
}

NO_HOOKS void race_change(const char *library, long ms)
{
    pthread_t threads[THREADS];
    void *handle = load(library);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, keep_alive, (void *)i) != 0)
            abort();
    for (long end = now_ms() + ms; now_ms() < end;)
    {
        nap_ms(LOADED_MS);
        pthread_rwlock_wrlock(&loaded);
        race_dlclose(handle);
        handle = load(library);
        pthread_rwlock_unlock(&loaded);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < FUNCTIONS; i++)
        printf("%s %lu\n", names[i], sums[i]);
}
