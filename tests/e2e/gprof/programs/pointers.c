/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls through pointers and tables, from the library back (qsort, signal handlers,
 * atexit), constructors, nested functions, aliases, several entries in sections of
 * their own, and computed jumps.
 */
#include "burn.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Operation)(int, int);

/* Whole functions on one line, on purpose. */
/* clang-format off */
__attribute__((noinline)) static int add(int a, int b) { burn(3); return a + b; }
__attribute__((noinline)) static int sub(int a, int b) { burn(2); return a - b; }
/* clang-format on */
__attribute__((noinline)) static int mul(int a, int b)
{
    burn(4);
    return a * b;
}
__attribute__((noinline, cold)) int unlikely_division(int a, int b)
{
    return b ? a / b : 0;
}

static const Operation table[] = {add, sub, mul, unlikely_division};

int visible_name(int n)
{
    burn(1);
    return n ^ 5;
}
extern int other_name(int n) __attribute__((alias("visible_name")));
extern int _other_name(int n) __attribute__((alias("visible_name")));
extern int weak_name(int n) __attribute__((weak, alias("visible_name")));

__attribute__((section(".text.own"), noinline)) int in_own_section(int n)
{
    burn(5);
    return n + 7;
}

__attribute__((section("plugin_code"), noinline)) int in_named_section(int n)
{
    burn(6);
    return in_own_section(n) + 9;
}

__attribute__((constructor)) static void early(void)
{
    burn(30);
}

__attribute__((destructor)) static void late(void)
{
    burn(30);
}

static void at_end(void)
{
    burn(20);
}

static void on_signal(int number)
{
    (void)number;
    burn(10);
}

static int compare(const void *a, const void *b)
{
    burn(1);
    return *(const int *)a - *(const int *)b;
}

static int with_jumps(int n)
{
    static const void *const labels[] = {&&first, &&second, &&third};
    int sum = 0;

    goto *labels[n % 3];
first:
    sum += 1;
second:
    sum += 2;
third:
    burn(2);
    return sum;
}

#ifndef __clang__
static int with_nested(int n)
{
    int inner(int k)
    {
        burn(2);
        return k + n;
    }
    int (*pointer)(int) = inner;

    return pointer(n) + inner(n + 1);
}
#else
static int with_nested(int n)
{
    return n;
}
#endif

int main(void)
{
    int values[200], sum = 0;

    atexit(at_end);
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 200; i++)
        values[i] = i * 7919 % 211;
    for (int i = 0; i < 40; i++)
        raise(SIGUSR1);
    qsort(values, 200, sizeof values[0], compare);
    for (int i = 0; i < 4000; i++)
        sum += table[i % 4](i, i + 1);
    for (int i = 0; i < 500; i++)
        sum += visible_name(i) + other_name(i) + weak_name(i) + in_named_section(i) +
               with_jumps(i) + with_nested(i) + _other_name(i);
    printf("%d %d\n", sum, values[3]);
    return 0;
}
