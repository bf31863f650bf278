/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a program with its own _init and _fini, under the linker's -init and -fini.
 */
#include <stdio.h>

void own_init(void);
void own_fini(void);
static volatile int steps;

static void step(void)
{
    steps++;
}

void own_init(void)
{
    step();
}

void own_fini(void)
{
    step();
    step();
}

int main(void)
{
    step();
    printf("%d\n", steps);
    return 0;
}
