/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The second part of apart.c.
 */
int third_first(int n);

int other_calls;

__attribute__((noinline)) static int kept(int n)
{
    return n % 7 + third_first(n);
}

int other_inlined(int n)
{
    n ^= 3;
    other_calls++;
    return kept(n) * 2;
}
