/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The good program that the fuzzer of symbols damages: small, with static and global
 * functions, an inlined one and debug information.  It is never run.
 */
#include <stdio.h>

int fuzz_outer(int count);

static inline int square(int value)
{
    return value * value;
}

static int __attribute__((noinline)) sum_squares(int count)
{
    int sum = 0;

    for (int i = 0; i < count; i++)
        sum += square(i);
    return sum;
}

int __attribute__((noinline)) fuzz_outer(int count)
{
    return printf("%d\n", sum_squares(count));
}

int main(int argc, char **argv)
{
    return fuzz_outer(argc) < 0;
}
