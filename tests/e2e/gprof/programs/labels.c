/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Code symbols inside of functions, of every kind, where the line comes from the same file
 * as the line before or from another one.
 */
#include <stdio.h>

int other(int n);
int shown(int n);

#define LABEL(name, kind) __asm__ volatile(kind "\n" name ":\n")

__attribute__((noinline)) int shown(int n)
{
    n += other(n);
    LABEL("local_same", ".type local_same, @function");
    n *= 3;
# 5 "generated/labels.h"
    LABEL("local_other", ".type local_other, @function");
    n += other(n);
# 6 "elsewhere/labels.h"
    LABEL("local_namesake", ".type local_namesake, @function");
    n += other(n);
# 27 "labels.c"
    LABEL("untyped_back", "");
    n += other(n);
    return n;
}

__attribute__((noinline)) static int hidden(int n)
{
    n += other(n);
    LABEL("global_same", ".globl global_same");
    n *= 3;
# 7 "generated/labels.h"
    LABEL("global_other", ".globl global_other\n.type global_other, @function");
    n += other(n);
# 7 "elsewhere/labels.h"
    LABEL("weak_namesake", ".weak weak_namesake\n.type weak_namesake, @function");
    n += other(n);
# 44 "labels.c"
    LABEL("_global_back", ".globl _global_back");
    n += other(n);
    return n;
}

int other(int n)
{
    return n % 7 + 1;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 100; i++)
        sum += shown(i) + hidden(i);
    printf("%d\n", sum);
    return 0;
}
