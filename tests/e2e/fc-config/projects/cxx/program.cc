// SPDX-License-Identifier: GPL-3.0-or-later
// Calls a function 700 times; std::max is not to be in the profile.
#include <algorithm>
#include <cstdio>

__attribute__((noinline)) static long triple(long number)
{
    __asm__ volatile("");
    return 3 * number;
}

int main()
{
    long sum = 0;
    for (int i = 0; i < 700; i++)
        sum += std::max(triple(1), 2L);
    std::printf("%ld\n", sum);
}
