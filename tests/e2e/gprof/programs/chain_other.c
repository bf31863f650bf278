/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The second file of chain.c.
 */
#include "burn.h"

static int helper(int n)
{
    burn(10);
    return n - 1;
}

static int twice(int n)
{
    return helper(n) + helper(n + 1);
}

int other(int n)
{
    return twice(n) * 2;
}

int (*other_pointer)(int) = twice;
