/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plain recursive Fibonacci function: nothing but calls, which the compiler must not make fewer
 * of in the plain program.  Usage: fib N
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned long fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    printf("%lu\n", fib(argc > 1 ? (unsigned)atoi(argv[1]) : 32));
    return 0;
}
