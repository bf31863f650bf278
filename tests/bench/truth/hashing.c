/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: a hash table with a function for each step, a checksum bit by bit, and a loop over bytes.
 */
#include "phases.h"

#include <string.h>

#define ROOM 4096u
static uint32_t keys[ROOM];
static uint32_t values[ROOM];
static unsigned char bytes[8192];

NOINLINE static uint32_t hash(uint32_t key)
{
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    return key;
}

NOINLINE static int is_free(uint32_t at)
{
    return keys[at] == 0;
}

NOINLINE static uint32_t find(uint32_t key)
{
    uint32_t at = hash(key) & (ROOM - 1);
    while (!is_free(at) && keys[at] != key)
        at = (at + 1) & (ROOM - 1);
    return at;
}

NOINLINE static void put(uint32_t key, uint32_t value)
{
    const uint32_t at = find(key);
    keys[at] = key;
    values[at] = value;
}

PHASE(fill)
{
    for (uint32_t round = 0; round < 5; round++)
    {
        memset(keys, 0, sizeof keys);
        for (uint32_t i = 1; i < 3000; i++)
            put(i * 2654435761u | 1, i);
    }
    sink += keys[77];
}

PHASE(look_up)
{
    uint64_t sum = 0;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 1; i < 6000; i++)
            sum += values[find(i * 2654435761u | 1)];
    sink += sum;
}

NOINLINE static uint32_t add_byte(uint32_t crc, unsigned char byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    return crc;
}

PHASE(checksum)
{
    uint32_t crc = ~0u;
    for (int round = 0; round < 5; round++)
        for (size_t i = 0; i < sizeof bytes; i++)
            crc = add_byte(crc, bytes[i]);
    sink += crc;
}

PHASE(plain_loop)
{
    uint32_t sum = 1;
    for (int round = 0; round < 60; round++)
        for (size_t i = 0; i < sizeof bytes; i++)
            sum = (sum << 5 | sum >> 27) ^ bytes[i];
    sink += sum;
}

PHASES_MAIN(PHASE_ROW(fill), PHASE_ROW(look_up), PHASE_ROW(checksum), PHASE_ROW(plain_loop))
