/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread works in one function, waits in another, and still does when the program ends; prints
 * how long the thread was on the CPU, in ns, of which its waiting had next to nothing.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function))

static int pipe_ends[2];

PLAIN static unsigned long long cpu_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

ALONE void works(void)
{
    const unsigned long long begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < begin + 20000000u)
        continue;
}

ALONE void waits_on(void)
{
    if (write(pipe_ends[1], "", 1) != 1)
        abort();
    for (;;)
        pause();
}

ALONE void *both(void *unused)
{
    works();
    waits_on();
    return unused;
}

int main(void)
{
    pthread_t thread;
    clockid_t clock;
    char byte;
    struct timespec time = {0, 300000000};
    if (pipe(pipe_ends) != 0 || pthread_create(&thread, NULL, both, NULL) != 0 ||
        pthread_getcpuclockid(thread, &clock) != 0 || read(pipe_ends[0], &byte, 1) != 1)
        return 1;
    nanosleep(&time, NULL);
    printf("%llu\n", cpu_ns(clock));
    return 0;
}
