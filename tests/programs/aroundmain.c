/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: instrumented code before main and after it: constructors, destructors and
 * functions of atexit.
 */
#include <stdlib.h>

static volatile int work;

static void step(void)
{
    work++;
}

__attribute__((constructor)) static void built(void)
{
    step();
}

__attribute__((destructor)) static void torn_down(void)
{
    step();
}

static void at_exit(void)
{
    step();
}

int main(void)
{
    step();
    return atexit(at_exit) != 0;
}
