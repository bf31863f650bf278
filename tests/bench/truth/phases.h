/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A mix: a program of phases that time themselves.  The phases run in turn, round after round, and
 * what each took in all is printed; built without hooks, that is the truth that the benchmark
 * `truth` holds a profile against.  Usage: MIX [ROUNDS]
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What follows lies so many bytes further on. */
#if defined(PLACE)
__asm__(".pushsection .text\n\t.skip " PLACE "\n\t.popsection");
#endif

#if defined(__cplusplus)
#define PHASE_LINKAGE extern "C"
#else
#define PHASE_LINKAGE
#endif

#define OUTSIDE __attribute__((no_instrument_function, unused)) static
#define NOINLINE __attribute__((noinline))
/* By its name the benchmark knows it. */
#define PHASE(name) PHASE_LINKAGE __attribute__((noinline)) void phase_##name(void)

typedef struct
{
    const char *name;
    void (*run)(void);
} Phase;
#define PHASE_ROW(name)                                                                            \
    {                                                                                              \
#name, phase_##name                                                                        \
    }

#if !defined(PHASE_CLOCK)
#define PHASE_CLOCK CLOCK_THREAD_CPUTIME_ID
#endif

/* What phases compute goes here, so that nothing of it is left out. */
static volatile uint64_t sink;

OUTSIDE uint64_t phase_now(void)
{
    struct timespec now;
    clock_gettime(PHASE_CLOCK, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

OUTSIDE uint32_t phase_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#define PHASES_MAX 8
OUTSIDE int run_phases(const Phase *phases, int count, int rounds)
{
    uint64_t took[PHASES_MAX] = {0};
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
        {
            uint64_t start = phase_now();
            phases[i].run();
            took[i] += phase_now() - start;
        }
    for (int i = 0; i < count; i++)
        printf("phase_%s %llu\n", phases[i].name, (unsigned long long)took[i]);
    return 0;
}

#define PHASES_MAIN(...)                                                                           \
    __attribute__((no_instrument_function)) int main(int words, char **word)                       \
    {                                                                                              \
        static const Phase phases[] = {__VA_ARGS__};                                               \
        return run_phases(phases, (int)(sizeof phases / sizeof *phases),                           \
                          words > 1 ? atoi(word[1]) : 20);                                         \
    }
