/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For link-time optimization: inlines a function of apart_other.c; nothing refers to the
 * debugging information of apart_third.c.
 */
int other_inlined(int n);
int third_first(int n);
int third_second(int n);

int calls;

__attribute__((noinline)) static int first(int n)
{
    return other_inlined(n) + third_first(n);
}

__attribute__((noinline)) static int second(int n)
{
    return other_inlined(n + 1) + third_second(n);
}

int main(int argc, char **argv)
{
    int sum = argv[0][0] == 0;

    for (int i = 0; i < 1000; i++)
        sum += first(i) - second(argc) + calls++;
    return sum == 7;
}
