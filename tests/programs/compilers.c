// SPDX-License-Identifier: GPL-3.0-or-later
//
// compilers: what C compilers make different things of, for tests/compilers: recursion, calls at
// the end of functions, through pointers, between units and of inline functions, threads, jumps,
// constructors, variable arguments, arrays and structures that are large or of no known length.
// Prints its own counts; see compilers.h.
#include "compilers.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define ROUNDS 400

struct large
{
    long values[40];
};

static jmp_buf back;
static _Thread_local int in_thread;

__attribute__((constructor)) static void whole_constructor(void)
{
    COUNT("whole_constructor");
}

__attribute__((destructor(200))) static void whole_destructor(void)
{
    COUNT("whole_destructor");
}

static inline int small_inline(int x)
{
    COUNT("small_inline");
    return x + in_thread;
}

static int small_static(int x)
{
    COUNT("small_static");
    return small_inline(x) * 3;
}

WHOLE static int whole_fib(int n)
{
    COUNT("whole_fib");
    return n < 2 ? n : whole_fib(n - 1) + whole_fib(n - 2);
}

WHOLE static int whole_odd(int n);

WHOLE static int whole_even(int n)
{
    COUNT("whole_even");
    return n == 0 ? 1 : whole_odd(n - 1);
}

WHOLE static int whole_odd(int n)
{
    COUNT("whole_odd");
    return n == 0 ? 0 : whole_even(n - 1);
}

WHOLE static int whole_ends_in_call(int x)
{
    COUNT("whole_ends_in_call");
    return whole_other_unit(x);
}

WHOLE static int whole_compare(const void *left, const void *right)
{
    COUNT("whole_compare");
    return *(const int *)left - *(const int *)right;
}

WHOLE static struct large whole_returns_large(int x)
{
    COUNT("whole_returns_large");
    struct large made = {{x, 2, 3}};
    made.values[x & 31] += small_static(x);
    return made;
}

WHOLE static double whole_variable(int count, ...)
{
    COUNT("whole_variable");
    va_list words;
    va_start(words, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += va_arg(words, double);
    va_end(words);
    return sum;
}

WHOLE static int whole_array(int length)
{
    COUNT("whole_array");
    char text[length + 1];
    memset(text, 'x', (size_t)length);
    text[length] = '\0';
    return (int)strlen(text);
}

WHOLE static void whole_jumps(int depth)
{
    COUNT("whole_jumps");
    if (depth == 0)
        longjmp(back, 1);
    whole_jumps(depth - 1);
}

WHOLE static int whole_lands(int depth)
{
    COUNT("whole_lands");
    if (setjmp(back) == 0)
        whole_jumps(depth);
    return depth;
}

WHOLE static void *whole_thread(void *argument)
{
    COUNT("whole_thread");
    in_thread = (int)(size_t)argument;
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += small_static(i) + whole_ends_in_call(i) + whole_array(i % 50);
    return (void *)(size_t)(sum + whole_fib(10));
}

int main(void)
{
    COUNT("whole_main");
    int sum = whole_fib(15) + whole_even(200);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, whole_thread, (void *)i);
    for (int i = 0; i < ROUNDS; i++)
    {
        struct large large = whole_returns_large(i);
        sum += (int)large.values[1] + (int)whole_variable(3, 1.0, 2.0, (double)i);
        whole_lands(i % 7);
    }
    sum += whole_calls_back(small_static, ROUNDS) + whole_calls_back(small_other_unit, ROUNDS);
    int numbers[200];
    for (int i = 0; i < 200; i++)
        numbers[i] = i * 7919 % 1009;
    qsort(numbers, 200, sizeof numbers[0], whole_compare);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return sum == 0;
}
