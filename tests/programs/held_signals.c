/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls as fast as it can, and is interrupted again and again by a handler that waits.  Many of its
 * signals come while libfc waits for room for records.  Prints how long the handler took, in ns.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#define SIGNALS 300

static volatile int handled;
static volatile unsigned long long took_ns;

__attribute__((no_instrument_function)) static unsigned long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

__attribute__((noinline)) void waits(void)
{
    const struct timespec time = {0, 2000000};
    unsigned long long begun = now_ns();
    nanosleep(&time, NULL);
    took_ns += now_ns() - begun;
}

void handler(int signal)
{
    (void)signal;
    waits();
    handled++;
}

__attribute__((noinline)) void leaf(void)
{
}

int main(void)
{
    const struct itimerval every = {{0, 3000}, {0, 3000}};
    const struct itimerval none = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &every, NULL);
    while (handled < SIGNALS)
        leaf();
    setitimer(ITIMER_REAL, &none, NULL);
    printf("%llu\n", took_ns);
    return 0;
}
