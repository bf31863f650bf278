/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parallel regions of OpenMP: one that two functions lead to, three times as often by the one, and
 * one with tasks.  Each region calls `kernel` as often in each run. */
#include <omp.h>
#include <stdio.h>

__attribute__((noinline)) static double kernel(int i)
{
    double sum = 0;
    for (int k = 0; k < 1000; k++)
        sum += 1.0 / (k + i + 1);
    return sum;
}

__attribute__((noinline)) static double shared(int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < n; i++)
        sum += kernel(i);
    return sum;
}

__attribute__((noinline)) static double often(int n)
{
    return shared(n) + shared(n) + shared(n);
}

__attribute__((noinline)) static double seldom(int n)
{
    return shared(n);
}

__attribute__((noinline)) static double tasks(int n)
{
    double sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < n; i++)
#pragma omp task shared(sum)
    {
        const double one = kernel(i);
#pragma omp atomic
        sum += one;
    }
    return sum;
}

int main(void)
{
    double sum = 0;
    omp_set_dynamic(0);
    for (int i = 0; i < 5; i++)
        sum += often(400) + seldom(400) + tasks(100);
    printf("%.6g\n", sum);
    return 0;
}
