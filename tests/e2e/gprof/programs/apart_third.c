/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The third part of apart.c.
 */
int third_calls;

__attribute__((noinline)) int third_first(int n)
{
    int sum = 0;

    third_calls++;
    for (int i = 0; i < n % 50; i++)
        sum += i % 3;
    return sum;
}

__attribute__((noinline)) int third_second(int n)
{
    return n * third_first(n + 2) % 11;
}
