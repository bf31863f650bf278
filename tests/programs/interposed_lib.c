/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: the library of interposed.c.
 */
int shared_work(int times);
int common(int value);
int only_here(int times);

int common(int value)
{
    return value + 1;
}

int only_here(int times)
{
    int sum = 0;
    for (int i = 0; i < times; i++)
        sum = common(sum);
    return sum;
}

int shared_work(int times)
{
    return only_here(times) + common(0);
}
