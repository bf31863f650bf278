/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: few functions, and nearly every call of one in a calling context of its own.
 * Usage: contexts THREADS TIMES DEPTH: each thread makes TIMES trees of calls.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define FUNCTIONS 40u

static __thread uint64_t state;
static int times;
static int depth_wanted;

typedef void Function(int depth);

__attribute__((no_instrument_function)) static Function *any(void);

#define DEFINE(number)                                                                             \
    static void function_##number(int depth)                                                       \
    {                                                                                              \
        if (depth > 0)                                                                             \
        {                                                                                          \
            any()(depth - 1);                                                                      \
            any()(depth - 1);                                                                      \
        }                                                                                          \
    }
#define TEN(define, tens)                                                                          \
    define(tens##0) define(tens##1) define(tens##2) define(tens##3) define(tens##4)                \
        define(tens##5) define(tens##6) define(tens##7) define(tens##8) define(tens##9)
TEN(DEFINE, 1)
TEN(DEFINE, 2)
TEN(DEFINE, 3)
TEN(DEFINE, 4)

#define NAME(number) function_##number,
static Function *const functions[FUNCTIONS] = {TEN(NAME, 1) TEN(NAME, 2) TEN(NAME, 3) TEN(NAME, 4)};

static Function *any(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return functions[(state >> 33) % FUNCTIONS];
}

static void *run(void *seed)
{
    state = (uintptr_t)seed;
    for (int i = 0; i < times; i++)
        any()(depth_wanted);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[16];
    int count = argc > 3 ? atoi(argv[1]) : 0;
    if (count < 1 || count > 16)
        return 2;
    times = atoi(argv[2]);
    depth_wanted = atoi(argv[3]);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1)) != 0)
            return 2;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
