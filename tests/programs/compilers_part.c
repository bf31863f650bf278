// SPDX-License-Identifier: GPL-3.0-or-later
//
// The second unit of compilers.c and compilers.cc, for what happens between units (LTO), and where
// both print at their end what they have counted.
#include "compilers.h"

struct own_count *own_counts;

NO_HOOK __attribute__((destructor(101))) static void print_counts(void)
{
    for (struct own_count *each = own_counts; each; each = each->next)
        printf("%s %ld\n", each->name, each->calls);
}

WHOLE int whole_other_unit(int x)
{
    COUNT("whole_other_unit");
    return small_other_unit(x) + 1;
}

int small_other_unit(int x)
{
    COUNT("small_other_unit");
    return x & 7;
}

WHOLE int whole_calls_back(int (*function)(int), int times)
{
    COUNT("whole_calls_back");
    int sum = 0;
    for (int i = 0; i < times; i++)
        sum += function(i);
    return sum;
}
