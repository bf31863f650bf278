/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: functions of 50 ns to some microseconds, flat and nested.
 */
#include "phases.h"

#define WORK(name, times)                                                                          \
    NOINLINE static uint32_t name(uint32_t x)                                                      \
    {                                                                                              \
        for (int i = 0; i < (times); i++)                                                          \
            x = x * 1664525u + 1013904223u;                                                        \
        return x;                                                                                  \
    }
#if !defined(SHORT)
#define SHORT 40
#endif
WORK(short_one, SHORT)
WORK(middle_one, 200)
WORK(long_one, 2000)

NOINLINE static uint32_t parent(uint32_t x)
{
    for (int i = 0; i < 8; i++)
        x = short_one(x) + 1;
    return x;
}

PHASE(short)
{
    uint32_t x = 1;
    for (int i = 0; i < 20000; i++)
        x = short_one(x);
    sink += x;
}

PHASE(middle)
{
    uint32_t x = 1;
    for (int i = 0; i < 4000; i++)
        x = middle_one(x);
    sink += x;
}

PHASE(long)
{
    uint32_t x = 1;
    for (int i = 0; i < 400; i++)
        x = long_one(x);
    sink += x;
}

PHASE(nested)
{
    uint32_t x = 1;
    for (int i = 0; i < 2500; i++)
        x = parent(x);
    sink += x;
}

PHASES_MAIN(PHASE_ROW(short), PHASE_ROW(middle), PHASE_ROW(long), PHASE_ROW(nested))
