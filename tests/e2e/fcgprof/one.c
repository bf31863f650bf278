/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a program and a library (two.c) that have functions of the same names.  See
 * modules.py.
 */
extern int two_call(int n);

static int same(int n)
{
    return n + 1;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 3; i++)
        sum += same(i);
    sum += two_call(sum);
    return sum < 0;
}
