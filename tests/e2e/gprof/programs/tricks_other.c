/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The second file of tricks.c: statics of the same names, and a weak function that
 * nothing replaces.
 */
#include "burn.h"

__attribute__((noinline)) static int helper(int n, int flag)
{
    static int calls;

    burn(2);
    return n - flag + calls++;
}

__attribute__((noinline)) static int first(int n)
{
    burn(1);
    return n ? first(n - 1) : 0;
}

__attribute__((weak, noinline)) int may_be_replaced(int n)
{
    burn(1);
    return n;
}

/* A file's part under another file's name. */
#line 100 "made_up.y"
__attribute__((noinline)) static int from_grammar(int n)
{
    burn(1);
    return n + 7;
}
#line 41 "tricks_other.c"

int tricks_other(int n)
{
    return helper(n, 1) + first(n % 4) + may_be_replaced(n) + from_grammar(n);
}
