/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recursion of every kind: of one function, of two, of three, cycles that touch,
 * a cycle inside the callees of another, and one that is entered twice.
 */
#include "burn.h"
#include <stdio.h>

int ping(int n);
int pong(int n);
int red(int n);
int green(int n);
int blue(int n);

int leaf(int n)
{
    burn(2);
    return n;
}

int fact(int n)
{
    burn(3);
    return n <= 1 ? 1 : n * fact(n - 1);
}

int fib(int n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

int ping(int n)
{
    burn(5);
    if (n <= 0)
        return leaf(1);
    return pong(n - 1) + fact(n % 5);
}

int pong(int n)
{
    burn(7);
    if (n <= 0)
        return 0;
    if (n % 3 == 0)
        return pong(n - 1);
    return ping(n - 1);
}

int red(int n)
{
    burn(4);
    return n <= 0 ? ping(6) : green(n - 1);
}

int green(int n)
{
    burn(2);
    if (n % 4 == 1)
        return green(n - 1);
    return n <= 0 ? leaf(2) : blue(n - 1);
}

int blue(int n)
{
    burn(1);
    if (n <= 0)
        return 1;
    return n % 2 ? red(n - 1) : green(n - 1) + red(n - 2);
}

int entry_one(void)
{
    return red(9) + leaf(3);
}

int entry_two(void)
{
    return blue(11) + ping(20) + fact(6);
}

int main(void)
{
    long sum = 0;

    for (int i = 0; i < 120; i++)
    {
        sum += entry_one();
        if (i % 2)
            sum += entry_two();
        sum += fib(7);
    }
    printf("%ld\n", sum);
    return 0;
}
