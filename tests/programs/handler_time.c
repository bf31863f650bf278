/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a handler that takes longer than what it interrupts: its time must be its own.
 */
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile int handled;

static long now_ms(void) __attribute__((no_instrument_function));
static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void handler(int signal)
{
    (void)signal;
    for (long end = now_ms() + 200; now_ms() < end;)
        continue;
    handled++;
}

static void interrupted(void)
{
    raise(SIGUSR1);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    interrupted();
    interrupted();
    printf("%d\n", handled);
    return 0;
}
