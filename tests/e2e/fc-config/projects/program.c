/* SPDX-License-Identifier: GPL-3.0-or-later
 * What each of the tiny projects builds. */
#include <stdio.h>

static int work(int x)
{
    return x % 7;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 700; i++)
        sum += work(i);
    printf("%d\n", sum);
    return 0;
}
