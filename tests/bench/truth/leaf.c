/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: small functions that call nothing, beside loops without calls.
 */
#include "phases.h"

NOINLINE static uint32_t step(uint32_t x)
{
    return x * 1664525u + 1013904223u;
}

NOINLINE static void bump(uint32_t *cell)
{
    ++*cell;
}

NOINLINE static uint32_t twenty(uint32_t x)
{
    for (int i = 0; i < 20; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

PHASE(latency)
{
    uint32_t x = 1;
    for (int i = 0; i < 400000; i++)
        x = step(x);
    sink += x;
}

PHASE(throughput)
{
    static uint32_t cells[64];
    for (int i = 0; i < 700000; i++)
        bump(&cells[i & 63]);
    sink += cells[5];
}

PHASE(twenty)
{
    uint32_t x = 1;
    for (int i = 0; i < 40000; i++)
        x = twenty(x);
    sink += x;
}

PHASE(loop)
{
    uint32_t x = 1;
    for (int i = 0; i < 700000; i++)
        x = x * 1664525u + 1013904223u;
    sink += x;
}

PHASES_MAIN(PHASE_ROW(latency), PHASE_ROW(throughput), PHASE_ROW(twenty), PHASE_ROW(loop))
