/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: recursion of several kinds, beside a loop.
 */
#include "phases.h"

NOINLINE static uint64_t fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

NOINLINE static uint64_t odd(uint64_t n);
NOINLINE static uint64_t even(uint64_t n)
{
    return n == 0 ? 1 : odd(n - 1) + 1;
}
NOINLINE static uint64_t odd(uint64_t n)
{
    return n == 0 ? 0 : even(n - 1) * 3;
}

NOINLINE static uint64_t hanoi(int n, int from, int to, int by)
{
    return n == 0
               ? 0
               : hanoi(n - 1, from, by, to) + (uint64_t)(from != to) + hanoi(n - 1, by, to, from);
}

PHASE(fib)
{
    sink += fib(27);
}

/* Not as deep as returns are foreseen: where they were 300 deep, the plain program took 36 ms at
 * one run and 163 at the next. */
PHASE(mutual)
{
    for (uint64_t i = 0; i < 14000; i++)
        sink += even(12 + (sink & 1));
}

PHASE(hanoi)
{
    sink += hanoi(18, 0, 1, 2);
}

PHASE(loop)
{
    uint64_t one = 0, other = 1;
    for (int i = 0; i < 600000; i++)
    {
        uint64_t next = one + other;
        __asm__ volatile("" : "+r"(next));
        one = other;
        other = next * 3;
    }
    sink += other;
}

PHASES_MAIN(PHASE_ROW(fib), PHASE_ROW(mutual), PHASE_ROW(hanoi), PHASE_ROW(loop))
