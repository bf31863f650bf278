/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The library of changes.c.
 */
unsigned outside(unsigned x, unsigned long *within);

__attribute__((noinline)) static unsigned within(unsigned x, unsigned long *calls)
{
    (*calls)++;
    return x * 22695477u + 1;
}

unsigned outside(unsigned x, unsigned long *calls)
{
    for (int i = 0; i < 3; i++)
        x = within(x, calls);
    return x;
}
