/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a program whose _init and _fini are its own, in place of those that come with the
 * C library: linked with -nostartfiles and crt1 alone.
 */
#include <stdio.h>

void _init(void);
void _fini(void);
static volatile int steps;

static void step(void)
{
    steps++;
}

void _init(void)
{
    step();
}

void _fini(void)
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
