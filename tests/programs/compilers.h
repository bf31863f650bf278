/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the programs of tests/compilers count their calls for themselves: COUNT(name) in the body of
 * each function that is to be compared.  A function whose name begins with `whole_` is never
 * inlined, so that its calls are the same however the program was compiled.
 */
#pragma once
#include <stdio.h>

#if defined __clang__
#define WHOLE __attribute__((noinline))
#else
#define WHOLE __attribute__((noinline, noclone))
#endif
#define NO_HOOK __attribute__((no_instrument_function))

struct own_count
{
    const char *name;
    long calls;
    struct own_count *next;
};

#ifdef __cplusplus
extern "C"
{
#endif
    extern struct own_count *own_counts;
    int whole_other_unit(int x);
    int small_other_unit(int x);
    int whole_calls_back(int (*function)(int), int times);
#ifdef __cplusplus
}
#endif

/* A list without locks: threads begin it together. */
#define COUNT(function)                                                                            \
    do                                                                                             \
    {                                                                                              \
        static struct own_count own = {function, 0, NULL};                                         \
        if (__atomic_fetch_add(&own.calls, 1, __ATOMIC_SEQ_CST) == 0)                              \
        {                                                                                          \
            own.next = __atomic_load_n(&own_counts, __ATOMIC_SEQ_CST);                             \
            while (!__atomic_compare_exchange_n(&own_counts, &own.next, &own, 0, __ATOMIC_SEQ_CST, \
                                                __ATOMIC_SEQ_CST))                                 \
                continue;                                                                          \
        }                                                                                          \
    } while (0)
