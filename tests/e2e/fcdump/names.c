/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions for the profiles that the tests of fcdump make up.  It is compiled for its
 * symbols and lines and never run; each function is long enough for call sites in it.
 */
#define FUNCTION(name)                                                                             \
    __attribute__((noinline)) int name(int n)                                                      \
    {                                                                                              \
        volatile int sum = n;                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            sum += i * n;                                                                          \
        return sum;                                                                                \
    }

FUNCTION(leaf)
FUNCTION(even)
FUNCTION(odd)
FUNCTION(alpha)
FUNCTION(beta)
FUNCTION(delta)
FUNCTION(fib)
FUNCTION(sorter) /* stands for a library's function, which is not profiled */
FUNCTION(unused)

__attribute__((noinline)) int work(int n)
{
    volatile int sum = leaf(n);
    sum += leaf(n + 1);
    return sum;
}

int main(int argc, char **argv)
{
    volatile int sum = work(argc);
    sum += work(argc + 1);
    sum += even(sum) + odd(sum) + alpha(sum) + beta(sum) + delta(sum) + fib(sum);
    return sum + sorter(sum) + unused(sum) + (argv == 0);
}
