/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two threads that call short functions, from functions that are recorded and from such as are
 * counted, with exceptions through some of them.  For gcc's hooks after inlining.
 */
#include <stdint.h>
#include <stdio.h>
#include <thread>

#define NOINLINE __attribute__((noinline))

static thread_local volatile uint64_t sink;

NOINLINE static void leaf(uint64_t x)
{
    sink = sink + x;
}

NOINLINE static void within(uint64_t x)
{
    leaf(x);
    sink = sink * 3;
}

NOINLINE static void throwing(uint64_t x)
{
    sink = sink + 1;
    if (x % 2 == 0)
        throw x;
}

NOINLINE static void longer(uint64_t x)
{
    for (int i = 0; i < 3000; i++)
        sink = sink * 5 + x;
    for (int i = 0; i < 10; i++)
        within(x);
}

NOINLINE static void work()
{
    for (uint64_t i = 0; i < 200000; i++)
    {
        leaf(i);
        if (i % 100 == 0)
        {
            longer(i);
            try
            {
                throwing(i / 100);
            }
            catch (uint64_t)
            {
                sink = sink + 2;
            }
        }
    }
}

int main()
{
    std::thread other(work);
    work();
    other.join();
}
