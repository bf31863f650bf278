/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The library of one.c.
 */
static int leaf(int n)
{
    return n * 2;
}

static int same(int n)
{
    return leaf(n) + leaf(n + 1);
}

int two_never(int n)
{
    return same(n);
}

int two_call(int n)
{
    return n < 0 ? two_never(n) : same(n) + same(n + 1);
}
