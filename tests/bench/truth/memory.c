/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: what waits for memory: loads that depend on one another, loads that overlap, a stream.
 */
#include "phases.h"

#define CELLS (1u << 23) /* 64 MiB */

static uint64_t *cells;

__attribute__((constructor, no_instrument_function)) static void fill(void)
{
    cells = malloc(CELLS * sizeof *cells);
    for (uint32_t i = 0; i < CELLS; i++)
        cells[i] = (i * UINT64_C(2654435761) + 12345) % CELLS;
}

NOINLINE static uint64_t follow(uint64_t at)
{
    return cells[at];
}

NOINLINE static uint64_t fetch(uint32_t at)
{
    return cells[at & (CELLS - 1)];
}

PHASE(chase)
{
    uint64_t at = 1;
    for (int i = 0; i < 3000; i++)
        at = follow(at ^ (uint64_t)i);
    sink += at;
}

PHASE(gather)
{
    uint64_t sum = 0;
    uint32_t state = 7;
    for (int i = 0; i < 40000; i++)
    {
        state = state * 1664525u + 1013904223u;
        sum += fetch(state >> 6);
    }
    sink += sum;
}

PHASE(stream)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CELLS / 8; i += 8)
        sum += cells[i];
    sink += sum;
}

PHASE(compute)
{
    uint32_t x = 1;
    for (int i = 0; i < 700000; i++)
        x = x * 1664525u + 1013904223u;
    sink += x;
}

PHASES_MAIN(PHASE_ROW(chase), PHASE_ROW(gather), PHASE_ROW(stream), PHASE_ROW(compute))
