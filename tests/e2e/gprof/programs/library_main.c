/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls library.c.
 */
#include "burn.h"
#include <stdio.h>

int library_work(int n);
int library_more(int n);

static int local_work(int n)
{
    burn(3);
    return library_work(n);
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 1000; i++)
        sum += local_work(i) + library_more(i);
    printf("%d\n", sum);
    return 0;
}
