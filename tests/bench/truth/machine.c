/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mix: an interpreter that calls a function for each instruction, and one that does not.
 */
#include "phases.h"

typedef struct
{
    uint32_t stack[16];
    uint32_t top;
    uint32_t counter;
} Machine;

static void do_push(Machine *machine)
{
    machine->stack[machine->top++ & 15] = machine->counter;
}
static void do_add(Machine *machine)
{
    machine->top--;
    machine->stack[(machine->top - 1) & 15] += machine->stack[machine->top & 15];
}
static void do_hash(Machine *machine)
{
    uint32_t *at = &machine->stack[(machine->top - 1) & 15];
    for (int i = 0; i < 5; i++)
        *at = *at * 33 + 7;
}
static void do_count(Machine *machine)
{
    machine->counter++;
}

typedef void Operation(Machine *);
static Operation *const operations[] = {do_push, do_push, do_add,  do_count,
                                        do_hash, do_add,  do_push, do_count};
static const uint8_t code[] = {0, 0, 1, 2, 3, 1, 0, 2};

PHASE(calls)
{
    Machine machine = {{0}, 8, 0};
    for (int i = 0; i < 300000; i++)
        operations[i & 7](&machine);
    sink += machine.stack[3];
}

PHASE(switch)
{
    Machine machine = {{0}, 8, 0};
    for (int i = 0; i < 600000; i++)
        switch (code[i & 7])
        {
        case 0:
            machine.stack[machine.top++ & 15] = machine.counter;
            break;
        case 1:
            machine.top--;
            machine.stack[(machine.top - 1) & 15] += machine.stack[machine.top & 15];
            break;
        case 2:
            machine.counter++;
            break;
        default:
            machine.stack[(machine.top - 1) & 15] = machine.stack[(machine.top - 1) & 15] * 33 + 7;
        }
    sink += machine.stack[3];
}

NOINLINE static uint32_t collect(const Machine *machine)
{
    uint32_t sum = 0;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 16; i++)
            sum = sum * 31 + machine->stack[i];
    return sum;
}

PHASE(collect)
{
    Machine machine = {{0}, 8, 0};
    for (int i = 0; i < 2500; i++)
    {
        machine.stack[i & 15]++;
        sink += collect(&machine);
    }
}

PHASES_MAIN(PHASE_ROW(calls), PHASE_ROW(switch), PHASE_ROW(collect))
