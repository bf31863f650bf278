/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: functions called from assembly with a stack that is not aligned as the calling
 * convention has it, and that work all the same.
 */
#include <stdio.h>

volatile long steps;

void step(void);
void call_misaligned(void);

void step(void)
{
    steps++;
}

#if defined(__x86_64__)
__asm__(".text\n"
        ".type call_misaligned, @function\n"
        "call_misaligned:\n"
        "    call step\n" /* the return address above makes it 8 bytes too few */
        "    ret\n"
        ".size call_misaligned, .-call_misaligned\n");
#else
void call_misaligned(void)
{
    step();
}
#endif

int main(void)
{
    for (int i = 0; i < 10000; i++)
        call_misaligned();
    printf("%ld\n", steps);
    return 0;
}
