/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: a machine of which each instruction is a function that is found in a table, one that
 * switches, and one whose instructions call helpers.
 */
#include "phases.h"

static uint32_t stack[16];
static uint32_t registers[4];
static unsigned char code[512];

NOINLINE static void load(int operand)
{
    stack[operand & 15] = registers[operand & 3];
}

NOINLINE static void store(int operand)
{
    registers[operand & 3] = stack[operand & 15];
}

NOINLINE static void add(int operand)
{
    stack[operand & 15] += stack[(operand + 1) & 15];
}

NOINLINE static void mix(int operand)
{
    stack[operand & 15] = (stack[operand & 15] ^ 0x9e3779b9u) * 5u;
}

static void (*const table[])(int) = {load, store, add, mix};

OUTSIDE void make_code(void)
{
    uint32_t state = 99;
    for (size_t i = 0; i < sizeof code && code[0] == 0; i++)
        code[sizeof code - 1 - i] = (unsigned char)(phase_random(&state) | 1);
}

PHASE(by_table)
{
    make_code();
    for (int round = 0; round < 180; round++)
        for (size_t i = 0; i < sizeof code; i++)
            table[code[i] & 3](code[i] >> 2);
    sink += registers[0];
}

PHASE(by_switch)
{
    for (int round = 0; round < 900; round++)
        for (size_t i = 0; i < sizeof code; i++)
        {
            const int operand = code[i] >> 2;
            switch (code[i] & 3)
            {
            case 0:
                stack[operand & 15] = registers[operand & 3];
                break;
            case 1:
                registers[operand & 3] = stack[operand & 15];
                break;
            case 2:
                stack[operand & 15] += stack[(operand + 1) & 15];
                break;
            default:
                stack[operand & 15] = (stack[operand & 15] ^ 0x9e3779b9u) * 5u;
                break;
            }
        }
    sink += registers[1];
}

NOINLINE static uint32_t divide(uint32_t one, uint32_t other)
{
    return one / (other | 1) + one % (other | 3);
}

NOINLINE static void slow_mix(int operand)
{
    stack[operand & 15] = divide(stack[operand & 15] * 77u, (uint32_t)operand) + 1;
    stack[(operand + 3) & 15] += divide(stack[operand & 15], 17u);
}

PHASE(helped)
{
    for (int round = 0; round < 120; round++)
        for (size_t i = 0; i < sizeof code; i++)
            slow_mix(code[i]);
    sink += stack[2];
}

PHASES_MAIN(PHASE_ROW(by_table), PHASE_ROW(by_switch), PHASE_ROW(helped))
