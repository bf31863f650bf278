/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: an interpreter whose instructions call one another in the place of their caller, a
 * hundred million times, and functions of other kinds that hooks must leave as they are.  Without
 * tail calls, or with a hook between, its stack would not do.  Prints what it computed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(MUST)
#define GO_ON __attribute__((musttail)) return
#else
#define GO_ON return
#endif
#define CALLED __attribute__((noinline))

struct machine
{
    const uint8_t *code;
    uint64_t left; /* instructions that may be executed */
    uint64_t value;
};
typedef uint64_t Instruction(struct machine *machine, uint64_t at);
static Instruction add, twist, back;
static Instruction *const instructions[] = {add, twist, back};

CALLED static uint64_t add(struct machine *machine, uint64_t at)
{
    machine->value += at;
    if (machine->left-- == 0)
        return machine->value;
    GO_ON instructions[machine->code[at + 1]](machine, at + 1);
}

CALLED static uint64_t twist(struct machine *machine, uint64_t at)
{
    machine->value ^= machine->value << 7 ^ machine->value >> 9;
    if (machine->left-- == 0)
        return machine->value;
    GO_ON instructions[machine->code[at + 1]](machine, at + 1);
}

CALLED static uint64_t back(struct machine *machine, uint64_t at)
{
    (void)at;
    if (machine->left-- == 0)
        return machine->value;
    GO_ON instructions[machine->code[0]](machine, 0);
}

#if defined(__x86_64__)
/* Nothing but what it says: no frame, no hook. */
#if defined(LEFT_OUT)
__attribute__((no_instrument_function))
#endif
__attribute__((naked, noinline)) static long
bare(__attribute__((unused)) long x)
{
    __asm__("lea 1(%rdi,%rdi,2), %rax\n\tret");
}

/* Its own assembly keeps something below the stack pointer from one statement to the next. */
CALLED static long below(long x)
{
    long result;
    __asm__ volatile("mov %0, -24(%%rsp)" : : "r"(x) : "memory");
    __asm__ volatile("mov -24(%%rsp), %0" : "=r"(result) : : "memory");
    return result + 1;
}
#else
static long bare(long x)
{
    return 3 * x + 1;
}
static long below(long x)
{
    return x + 1;
}
#endif

/* A leaf whose variables are below the stack pointer where there is a red zone. */
CALLED static long leaf(long x)
{
    volatile long places[12];
    for (int i = 0; i < 12; i++)
        places[i] = x * i;
    return places[3] + places[11];
}

int main(int argc, char **argv)
{
    static const uint8_t code[] = {0, 1, 0, 0, 1, 2};
    struct machine machine = {code, argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000, 1};
    printf("%llu\n", (unsigned long long)instructions[code[0]](&machine, 0));
    long sum = 0;
    for (long i = 0; i < 20000; i++)
        sum += bare(i) + below(i) + leaf(i);
    printf("%ld\n", sum);
    return 0;
}
