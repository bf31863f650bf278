/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The libraries of reused.c, compiled several times with another NAME: NAME_work() calls
 * NAME_step() as often as it is told.  With WAITS its constructor waits
 * for the program.
 */
#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define FUNCTION(name) JOIN(NAME, name)

int FUNCTION(work)(int times);

static volatile int steps;

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

#if defined(WAITS)
void reused_wait(void);

__attribute__((constructor, no_instrument_function)) static void FUNCTION(built)(void)
{
    reused_wait();
}
#endif
