/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: functions that are short nearly always, and now and then do what takes most of their time,
 * beside some that are short always.
 */
#include "phases.h"

#define BUFFER 1000u

static uint8_t buffer[BUFFER];
static unsigned at = BUFFER;
static uint32_t state = 1;
static uint64_t flushed;

/* Not profiled, as what the C library does is not. */
__attribute__((noinline, no_instrument_function)) static void generate(unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < BUFFER; i++)
        {
            state = state * 1664525u + 1013904223u;
            buffer[i] ^= (uint8_t)(state >> 24);
        }
}

NOINLINE static uint8_t next_byte(void)
{
    if (at == BUFFER)
    {
        generate(24);
        at = 0;
    }
    return buffer[at++];
}

NOINLINE static void put_byte(uint8_t byte)
{
    static unsigned used;
    buffer[used++] = byte;
    if (used < BUFFER / 8)
        return;
    generate(2);
    flushed += buffer[0];
    used = 0;
}

NOINLINE static uint32_t step(uint32_t x)
{
    return x * 1664525u + 1013904223u;
}

PHASE(read)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 60000; i++)
        sum += next_byte();
    sink += sum;
}

PHASE(write)
{
    for (unsigned i = 0; i < 60000; i++)
        put_byte((uint8_t)i);
    sink += flushed;
}

PHASE(short)
{
    uint32_t x = (uint32_t)sink;
    for (unsigned i = 0; i < 400000; i++)
        x = step(x);
    sink += x;
}

PHASES_MAIN(PHASE_ROW(read), PHASE_ROW(write), PHASE_ROW(short))
