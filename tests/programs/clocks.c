/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: spends time asleep, computing and in the kernel, and says for each of its
 * functions what the clocks said just inside and just outside of the call:
 * lines of NAME CLOCK INSIDE-NS OUTSIDE-NS.  With -DEARLY the first call is made before any
 * constructor ran, libfc's included.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

enum clock
{
    ELAPSED,
    THREAD_CPU,
    THREAD_SYSTEM,
    CLOCKS
};

static const char *const clock_names[CLOCKS] = {"ext", "cpu", "sys"};

struct span
{
    int64_t inside[CLOCKS];
    int64_t outside[CLOCKS];
};

static int64_t PLAIN timespec_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void PLAIN read_clocks(int64_t *readings)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    readings[ELAPSED] = timespec_ns(CLOCK_MONOTONIC);
    readings[THREAD_CPU] = timespec_ns(CLOCK_THREAD_CPUTIME_ID);
    readings[THREAD_SYSTEM] =
        (int64_t)usage.ru_stime.tv_sec * 1000000000 + (int64_t)usage.ru_stime.tv_usec * 1000;
}

static void PLAIN start(int64_t *readings)
{
    read_clocks(readings);
}

static void PLAIN stop(int64_t *readings)
{
    int64_t now[CLOCKS];
    read_clocks(now);
    for (int i = 0; i < CLOCKS; i++)
        readings[i] = now[i] - readings[i];
}

static void nap(struct span *span)
{
    start(span->inside);
    usleep(150000);
    stop(span->inside);
}

static void burn(struct span *span)
{
    start(span->inside);
    int64_t end = timespec_ns(CLOCK_THREAD_CPUTIME_ID) + 100000000;
    volatile unsigned sum = 0;
    while (timespec_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        for (unsigned i = 0; i < 10000; i++)
            sum += i;
    stop(span->inside);
}

static void enter_kernel(struct span *span)
{
    start(span->inside);
    int64_t end = timespec_ns(CLOCK_THREAD_CPUTIME_ID) + 150000000;
    struct stat status;
    while (timespec_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 1000; i++)
            stat("/", &status);
    stop(span->inside);
}

static void PLAIN measure(const char *name, void (*function)(struct span *))
{
    struct span span;
    start(span.outside);
    function(&span);
    stop(span.outside);
    for (int i = 0; i < CLOCKS; i++)
        printf("%s %s %lld %lld\n", name, clock_names[i], (long long)span.inside[i],
               (long long)span.outside[i]);
}

#ifdef EARLY
static void early(void)
{
}

typedef void Initializer(void);
__attribute__((section(".preinit_array"), used)) static Initializer *const first = early;
#endif

int main(void)
{
    measure("nap", nap);
    measure("burn", burn);
    measure("enter_kernel", enter_kernel);
    return 0;
}
