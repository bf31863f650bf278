/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nanoseconds of one call of a function that does nothing, with the hooks that it was compiled
 * with.  In short bursts, as hooks.c.
 */
#include <stdio.h>
#include <time.h>

#define BURSTS 20000
#define CALLS 2500
#define QUIET __attribute__((no_instrument_function))

QUIET static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

__attribute__((noinline)) static void leaf(void)
{
    __asm__ volatile("");
}

int main(void)
{
    double least = 1e9;
    for (int burst = 0; burst < BURSTS; burst++)
    {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            leaf();
        double each = (now_ns() - start) / CALLS;
        least = each < least ? each : least;
    }
    printf("%.2f ns\n", least);
    return 0;
}
