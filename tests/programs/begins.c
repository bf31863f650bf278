/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: makes as many rounds of calls of a few functions as its argument says.
 */
#include <stdlib.h>

static volatile int sum;

#define LEAF(name)                                                                                 \
    __attribute__((noinline)) static void name(void)                                               \
    {                                                                                              \
        sum = sum + 1;                                                                             \
    }
LEAF(one)
LEAF(two)
LEAF(three)
LEAF(four)

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < rounds; i++)
    {
        one();
        two();
        three();
        four();
    }
    return 0;
}
