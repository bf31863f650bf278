/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that wait, and then leave by an exception, by longjmp or for another stack, or
 * allocate: each time a record is made that is no hook's.  Each is followed by work.  Prints what
 * the clocks say: "NAME WALL CPU" in ns, for all calls of each function.  CPU has in it what was
 * stolen from the machine.
 */
#include "stolen.h"

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <ucontext.h>

#define ALONE __attribute__((noinline))
#define PLAIN __attribute__((no_instrument_function))

enum
{
    ROUNDS = 10,
    NAP_NS = 10 * 1000 * 1000
};

struct Times
{
    uint64_t wall;
    uint64_t cpu;
};

static jmp_buf back;
static ucontext_t here, there;
static volatile uint64_t sink;
static uint64_t stolen;
static void *volatile block;

PLAIN static Times now()
{
    return {stolen_clock_ns(CLOCK_MONOTONIC), stolen_clock_ns(CLOCK_THREAD_CPUTIME_ID) + stolen};
}

PLAIN static void nap()
{
    struct timespec time = {0, NAP_NS};
    nanosleep(&time, nullptr);
}

extern "C"
{

    ALONE void works()
    {
        stolen += stolen_from_work(NAP_NS);
    }

    ALONE void throws()
    {
        nap();
        throw std::runtime_error("away");
    }

    ALONE void jumps()
    {
        nap();
        longjmp(back, 1);
    }

    ALONE void switches()
    {
        nap();
        swapcontext(&here, &there);
    }

    ALONE void allocates()
    {
        nap();
        block = malloc(100);
        free(block);
    }

    /* Goes back at once. */
    ALONE void other_stack()
    {
        for (;;)
            swapcontext(&there, &here);
    }
}

/* Adds the time of one call, however it ends. */
PLAIN static void measure(Times *sum, void (*function)())
{
    Times from = now();
    if (setjmp(back) == 0)
    {
        try
        {
            function();
        }
        catch (const std::exception &)
        {
            sink = sink + 1;
        }
    }
    Times to = now();
    sum->wall += to.wall - from.wall;
    sum->cpu += to.cpu - from.cpu;
}

int main()
{
    static char stack[65536];
    static const struct
    {
        const char *name;
        void (*function)();
    } all[] = {
        {"throws", throws}, {"jumps", jumps}, {"switches", switches}, {"allocates", allocates}};
    static Times sums[5];
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, other_stack, 0);
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < 4; i++)
        {
            measure(&sums[i], all[i].function);
            measure(&sums[4], works);
        }
    for (unsigned i = 0; i < 4; i++)
        printf("%s %llu %llu\n", all[i].name, (unsigned long long)sums[i].wall,
               (unsigned long long)sums[i].cpu);
    printf("works %llu %llu\n", (unsigned long long)sums[4].wall, (unsigned long long)sums[4].cpu);
    return 0;
}
