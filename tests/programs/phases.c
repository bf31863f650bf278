/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Twenty functions that call one another at random, every fourth itself as well, and of which more
 * come into use from phase to phase: they begin to be counted while others are, at any depth. Every
 * third of the others moves the stack pointer in some of its calls.  The first argument says in how
 * many threads, one after the other, the second how many calls each of them makes in a phase.  The
 * same calls in every run.
 */
#include <alloca.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS 20

typedef unsigned Function(int depth);

static Function *const functions[FUNCTIONS];
static __thread int known; /* functions in use: the last ones */
static __thread uint64_t state = 0x9e3779b97f4a7c15u;

__attribute__((no_instrument_function)) static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

/* What each of the functions does, of which `number` is a constant. */
static inline __attribute__((always_inline, no_instrument_function)) unsigned work(int number,
                                                                                   int depth)
{
    unsigned sum = (unsigned)number;
    if (number % 3 == 0 && number % 4 != 1 && draw(4) == 0)
    {
        volatile char *moved = alloca(16 + draw(100));
        moved[0] = (char)number;
        sum += (unsigned char)moved[0];
    }
    if (number % 4 == 1 && depth > 0 && draw(3) != 0)
        sum += functions[number](depth - 1);
    for (unsigned calls = depth > 0 ? draw(4) : 0; calls > 0 && number + 1 < FUNCTIONS; calls--)
        sum += functions[number + 1 + (int)draw((unsigned)(FUNCTIONS - 1 - number))](depth - 1);
    return sum;
}

#define FUNCTION(number)                                                                           \
    __attribute__((noinline)) static unsigned function_##number(int depth)                         \
    {                                                                                              \
        return work(number, depth) + 1;                                                            \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
FUNCTION(8)
FUNCTION(9)
FUNCTION(10)
FUNCTION(11)
FUNCTION(12)
FUNCTION(13)
FUNCTION(14)
FUNCTION(15)
FUNCTION(16)
FUNCTION(17)
FUNCTION(18)
FUNCTION(19)

static Function *const functions[FUNCTIONS] = {
    function_0,  function_1,  function_2,  function_3,  function_4,  function_5,  function_6,
    function_7,  function_8,  function_9,  function_10, function_11, function_12, function_13,
    function_14, function_15, function_16, function_17, function_18, function_19};

__attribute__((no_instrument_function)) static void *run(void *calls)
{
    uintptr_t sum = 0;
    for (known = 3; known <= FUNCTIONS; known++)
        for (int i = 0; i < *(int *)calls; i++)
            sum += functions[FUNCTIONS - 1 - (int)draw((unsigned)known)]((int)draw(8));
    return (void *)sum;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    int calls = argc > 2 ? atoi(argv[2]) : 100;
    for (int i = 0; i < threads; i++)
    {
        pthread_t thread;
        void *sum;
        if (pthread_create(&thread, NULL, run, &calls) != 0 || pthread_join(thread, &sum) != 0)
            return 1;
        printf("%lu\n", (unsigned long)(uintptr_t)sum);
    }
    return 0;
}
