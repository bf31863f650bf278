/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a program that has a function of the same name as a library's (interposed_lib.c):
 * the library's own calls come here, and the hooks are told the program's address by
 * the library's copy too.
 */
#include <stdio.h>

int shared_work(int times);
int common(int value);

int common(int value)
{
    return value + 2;
}

int main(void)
{
    printf("%d %d\n", common(1), shared_work(20));
    return 0;
}
