/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plain recursive Fibonacci function: nothing but calls.  Usage: fib N
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
    printf("%lu\n", fib(argc > 1 ? (unsigned)atoi(argv[1]) : 32));
    return 0;
}
