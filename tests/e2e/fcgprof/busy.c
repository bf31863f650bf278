/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: calls of many shapes, the same in every run and without callbacks from the C
 * library, so that GNU gprof's counts are exact, too.  See agree.py.
 */
static volatile unsigned sink;

static unsigned spin(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink += i;
    return sink;
}

static unsigned add(unsigned n)
{
    return spin(n) + 1;
}

static unsigned twice(unsigned n)
{
    return add(n) + add(n + 1);
}

static unsigned (*const table[])(unsigned) = {spin, add, twice};

static unsigned dispatch(unsigned n)
{
    return table[n % 3](n);
}

static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static unsigned odd(unsigned n);
static unsigned third(unsigned n);

static unsigned even(unsigned n)
{
    add(n);
    return n == 0 ? 1 : odd(n - 1);
}

static unsigned odd(unsigned n)
{
    return n == 0 ? 0 : n % 5 == 0 ? third(n - 1) : even(n - 1);
}

static unsigned third(unsigned n)
{
    twice(n);
    return odd(n);
}

static unsigned walk(unsigned depth)
{
    return depth == 0 ? add(1) : walk(depth - 1) + walk(depth - 1);
}

unsigned never(unsigned n)
{
    return n == 0 ? 0 : never(n - 1) + twice(n);
}

static void rounds(void)
{
    for (unsigned i = 0; i < 300; i++)
        dispatch(i);
}

int main(void)
{
    rounds();
    even(31);
    odd(14);
    ackermann(2, 3);
    walk(6);
    return 0;
}
