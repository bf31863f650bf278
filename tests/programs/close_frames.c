/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A chain of functions that need no aligned stack, so that optimised code has their return
 * addresses next to one another.  All time is spent in main, behind each call of the chain.
 *
 * Usage: close_frames [ROUNDS [US]], where US microseconds are spent in each round; with these it
 * prints how many bytes the return address of a leaf is below its caller's: another number where
 * other code comes of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CALLED __attribute__((noinline))
#if defined(__clang__)
#define PLACE() ((uintptr_t)__builtin_frame_address(0))
#else
#define PLACE() ((uintptr_t)__builtin_dwarf_cfa()) /* which takes no frame pointer */
#endif

static volatile uintptr_t leaf_place;
static volatile uintptr_t pair_place;

CALLED void leaf(void)
{
    leaf_place = PLACE();
}

CALLED void pair(void)
{
    pair_place = PLACE();
    leaf();
    leaf();
}

CALLED void outer(void)
{
    pair();
    pair();
}

static __attribute__((always_inline, no_instrument_function)) inline uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    const uint64_t ns = 1000 * (uint64_t)(argc > 2 ? atoi(argv[2]) : 0);
    for (int i = 0; i < rounds; i++)
    {
        outer();
        for (const uint64_t end = now() + ns; now() < end;)
        {
        }
    }
    if (argc > 2)
        printf("%ld\n", (long)(pair_place - leaf_place));
    return 0;
}
