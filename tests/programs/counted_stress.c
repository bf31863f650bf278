/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that are hot in functions while these change between timed and counted: leaves,
 * recursion, what longjmp leaves, and handlers that interrupt all of it. The first argument
 * says how many threads, the second for how long, in milliseconds. Prints how often each function
 * was called, as each thread has counted for itself.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 64

enum Function
{
    LEAF,
    MIDDLE,
    FIB,
    LONG,
    JUMPING,
    IN_HANDLER,
    HANDLER,
    JUMPS,
    FUNCTIONS
};

static const char *const names[FUNCTIONS] = {"leaf",    "middle",     "fib",     "long_one",
                                             "jumping", "in_handler", "handler", "jumps"};
static __thread unsigned long calls[FUNCTIONS];
static unsigned long sums[FUNCTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stopped;

__attribute__((noinline)) static unsigned leaf(unsigned x)
{
    calls[LEAF]++;
    return x * 1664525u + 1;
}

__attribute__((noinline)) static unsigned middle(unsigned x)
{
    calls[MIDDLE]++;
    for (unsigned i = 0; i < (x & 7); i++)
        x = leaf(x);
    return x;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    calls[FIB]++;
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static unsigned long_one(unsigned x)
{
    calls[LONG]++;
    for (int i = 0; i < 400; i++)
        x = leaf(x);
    return x;
}

static __thread jmp_buf *target;

__attribute__((noinline)) static void jumping(int depth)
{
    calls[JUMPING]++;
    if (depth == 0)
        longjmp(*target, 1);
    jumping(depth - 1);
}

__attribute__((noinline)) static void jumps(void)
{
    jmp_buf here;
    calls[JUMPS]++;
    target = &here;
    if (setjmp(here) == 0)
        jumping(3);
}

__attribute__((noinline)) static void in_handler(int depth)
{
    calls[IN_HANDLER]++;
    if (depth > 0)
        in_handler(depth - 1);
    leaf((unsigned)depth);
}

static void handler(int signal)
{
    calls[HANDLER]++;
    in_handler(signal & 3);
    fib(3);
}

__attribute__((no_instrument_function)) static void *run(void *number)
{
    sigset_t all;
    unsigned x = (unsigned)(uintptr_t)number;
    while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED))
    {
        for (int i = 0; i < 500; i++)
            x = middle(x);
        x = long_one(x + fib(10));
        for (int i = 0; i < 20; i++)
            jumps();
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FUNCTIONS; i++)
        sums[i] += calls[i];
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)(x | 1);
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1;
    long rounds = argc > 2 ? atol(argv[2]) * 5 : 1000;
    pthread_t threads[THREADS_MAX];
    if (count > THREADS_MAX)
        return 2;
    signal(SIGALRM, handler);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1));
    for (long i = 0; i < rounds; i++)
    {
        struct timespec nap = {0, 200000};
        nanosleep(&nap, NULL);
        for (int k = 0; k < count; k++)
            pthread_kill(threads[k], SIGALRM);
    }
    __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < FUNCTIONS; i++)
        printf("%s %lu\n", names[i], sums[i]);
    return 0;
}
