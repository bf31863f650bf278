/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a library, compiled several times with another NAME: NAME_work() calls
 * NAME_step() as often as it is told; constructor and destructor are instrumented.
 */
#include <stdlib.h>

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define FUNCTION(name) JOIN(NAME, name)

static volatile int steps;

int FUNCTION(work)(int times);

__attribute__((noinline)) static void FUNCTION(step)(void)
{
    steps++;
}

int FUNCTION(work)(int times)
{
    for (int i = 0; i < times; i++)
        FUNCTION(step)();
    return steps;
}

__attribute__((constructor)) static void FUNCTION(built)(void)
{
    FUNCTION(step)();
}

__attribute__((destructor)) static void FUNCTION(torn_down)(void)
{
    FUNCTION(step)();
}
