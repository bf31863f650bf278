/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What GNU C can do beside plain calls: aliases, weak functions, an indirect function,
 * nested functions, computed gotos, constructors, code without sizes, tail calls,
 * jumps, statics of functions, cold parts, cycles that hold cycles.
 */
#include "burn.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

int tricks_other(int n);
static jmp_buf back;

NOINLINE int real_name(int n)
{
    burn(3);
    return n + 1;
}
int weak_name(int n) __attribute__((weak, alias("real_name")));
int _underscored(int n) __attribute__((alias("real_name")));
int strong_name(int n) __attribute__((alias("real_name")));
NOINLINE int renamed(int n) __asm__("odd.name$here");

int renamed(int n)
{
    burn(2);
    return n * 2;
}

static int pick_a(int n)
{
    burn(1);
    return n;
}
static int (*resolve(void))(int)
{
    return pick_a;
}
int chosen(int n) __attribute__((ifunc("resolve")));

/* Three functions of assembly: one without a size, one without a type, a local one. */
__asm__(".text\n.globl bare_function\n.type bare_function,@function\nbare_function:\n"
        "  nop\n  nop\n  ret\n"
        ".globl bare_label\nbare_label:\n  nop\n  ret\n"
        "local_label:\n  nop\n  nop\n  nop\n  ret\n"
        ".type after_all,@function\nafter_all: ret\n.size after_all,1\n");
void bare_function(void);
void bare_label(void);

__attribute__((constructor)) static void first(void)
{
    burn(1);
}
__attribute__((destructor)) static void last(void)
{
    burn(1);
}

static NOINLINE int interpret(const unsigned char *code)
{
    static const void *const labels[] = {&&add, &&twice, &&call, &&stop};
    int value = 1;

    goto *labels[*code];
add:
    value += 3;
    goto *labels[*++code];
twice:
    value *= 2;
    burn(1);
    goto *labels[*++code];
call:
    value = real_name(value);
    goto *labels[*++code];
stop:
    return value;
}

static NOINLINE int sum_of(int n, ...)
{
    va_list rest;
    int sum = 0;

    va_start(rest, n);
    while (n-- > 0)
        sum += va_arg(rest, int);
    va_end(rest);
    return sum;
}

/* helper is in tricks_other.c as well. */
static NOINLINE int helper(int n, int flag)
{
    static int calls;

    calls++;
    if (__builtin_expect(flag < 0, 0))
    {
        fprintf(stderr, "%d\n", n);
        abort();
    }
    burn(1);
    return n + calls;
}

static NOINLINE void leap(int n)
{
    if (n > 4)
        longjmp(back, n);
    leap(n + 1);
    burn(1);
}

/* in1 and in2 are a cycle, out1 and out2 go round it, and it calls them back. */
static int out1(int n);
static NOINLINE int in2(int n);
static NOINLINE int in1(int n)
{
    burn(1);
    return n <= 0 ? 0 : in2(n - 1) + 1;
}
static NOINLINE int in2(int n)
{
    burn(1);
    return n <= 0 ? 1 : n % 5 == 0 ? out1(n - 3) : in1(n - 1);
}
static NOINLINE int out2(int n)
{
    burn(1);
    return in1(n - 1) + real_name(n);
}
static NOINLINE int out1(int n)
{
    burn(1);
    return n <= 0 ? 2 : n % 3 ? out2(n - 1) + in2(n - 2) : out1(n - 1);
}

static NOINLINE int tail(int n)
{
    burn(1);
    return renamed(n + 1);
}

static NOINLINE int outer(int n)
{
    int sum = n;
#ifndef __clang__
    int nested(int by)
    {
        int deeper(int k)
        {
            burn(1);
            return k + sum;
        }
        sum += by;
        return deeper(by) + helper(by, 0);
    }
    int (*by_pointer)(int) = nested;
    sum += by_pointer(n);
#endif
    return sum;
}

__attribute__((section(".text.elsewhere"))) static NOINLINE int elsewhere(int n)
{
    burn(1);
    return n + 2;
}
__attribute__((section("custom_code"))) NOINLINE int in_section(int n)
{
    burn(1);
    return elsewhere(n) + 2;
}
int unused_function(int n)
{
    return tail(n) + strong_name(n);
}

int main(void)
{
    static const unsigned char code[] = {0, 1, 2, 1, 0, 2, 3};
    int sum = 0;

    for (int i = 0; i < 60; i++)
    {
        sum += weak_name(i) + strong_name(i) + _underscored(i) + renamed(i) + chosen(i);
        sum += interpret(code) + sum_of(3, i, i, i) + helper(i, 1) + helper(i, i);
        sum += tricks_other(i) + out1(i % 20) + tail(i) + outer(i) + in_section(i);
        bare_function();
        bare_label();
        if (!setjmp(back))
            leap(0);
    }
    printf("%d\n", sum);
    return 0;
}
