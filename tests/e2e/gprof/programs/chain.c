/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plain calls, dear for one caller and cheap for another, functions that are never
 * called, and statics that chain_other.c has under the same names.
 */
#include "burn.h"
#include <stdio.h>
#include <stdlib.h>

int other(int n);
extern int (*other_pointer)(int);

static int helper(int n)
{
    burn(20);
    return n + 1;
}

static int twice(int n)
{
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += helper(n);
    return sum;
}

static void spend(int cost)
{
    burn((unsigned long)cost);
}

void cheap(void)
{
    for (int i = 0; i < 100; i++)
        spend(1);
}

void dear(void)
{
    spend(20000);
}

int never_called(int n)
{
    if (n > 3)
        return helper(n);
    return never_called(n + 1);
}

static int never_called_static(void)
{
    return twice(never_called(1));
}

int (*keep)(void) = never_called_static;

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 200; i++)
    {
        /* Two calls on one line. */
        /* clang-format off */
        sum += twice(i); sum += other(i);
        /* clang-format on */
        if (i % 3 == 0)
            sum += helper(i);
        sum += other_pointer(i);
    }
    cheap();
    dear();
    printf("%d\n", sum);
    return 0;
}
