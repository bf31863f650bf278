/* SPDX-License-Identifier: GPL-3.0-or-later
 * What each of the tiny projects builds. */
#include <stdio.h>

__attribute__((noinline)) static int work(int x)
{
    __asm__ volatile("");
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
