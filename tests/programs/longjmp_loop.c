/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: leaves frames by longjmp, uses other stacks, goes deep.
 * Usage: longjmp_loop WAY COUNT; the ways are in the table at the end of this file.  Frames that a
 * jump leaves are counted in "jumped".
 */
#include "truth.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

static jmp_buf target;
static sigjmp_buf signal_target;
static struct truth *step_truth;
static struct truth *jumped_truth;
static volatile long sink;

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

/* ---- Out of frames ------------------------------------------------------------------- */

__attribute__((noinline)) static void fall(volatile int depth)
{
    step();
    TRUTH_ENTERED(jumped_truth);
    if (depth > 0)
        fall(depth - 1);
    else
        longjmp(target, 1);
    sink++;
}

static void once(int depth)
{
    if (setjmp(target) == 0)
        fall(depth);
    step();
}

static void from_deep(int depth)
{
    once(depth);
    once(0);
    once(depth);
}

/* Each turn leaves one frame, and comes back into the loop. */
static void into_loop(int count)
{
    volatile int turns = 0;
    setjmp(target);
    if (turns++ < count)
        fall(0);
    step();
}

/* A jump out of frames, and then a call at the very same depth, over and over. */
static void alternating(int count)
{
    for (volatile int i = 0; i < count; i++)
    {
        if (setjmp(target) == 0)
            fall(i % 3);
        step();
    }
}

/* A jump straight from one frame's child to another's: the stack below is used again. */
__attribute__((noinline)) static void roomy(int depth)
{
    volatile char room[3000];
    room[0] = (char)depth;
    fall(depth);
    sink += room[0];
}

static void different_frames(int count)
{
    for (volatile int i = 0; i < count; i++)
    {
        if (setjmp(target) == 0)
        {
            if (i % 2 == 0)
            {
                TRUTH_ENTERED(jumped_truth); /* roomy itself */
                roomy(i % 4);
            }
            else
                fall(i % 5);
        }
        step();
        step();
    }
}

/* ---- Out of handlers ---------------------------------------------------------------------- */

static void jumping_handler(int signal)
{
    (void)signal;
    step();
    TRUTH_ENTERED(jumped_truth);
    siglongjmp(signal_target, 1);
}

__attribute__((noinline)) static void raising(int depth)
{
    TRUTH_ENTERED(jumped_truth);
    if (depth > 0)
        raising(depth - 1);
    else
        raise(SIGUSR1);
    sink++;
}

static void from_handler(int count)
{
    struct sigaction action = {.sa_handler = jumping_handler};
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < count; i++)
    {
        if (sigsetjmp(signal_target, 1) == 0)
            raising(i % 6);
        step();
    }
}

static void staying_handler(int signal)
{
    (void)signal;
    step();
}

__attribute__((noinline)) static void interrupted(int depth)
{
    step();
    if (depth > 0)
        interrupted(depth - 1);
    else
        raise(SIGUSR1);
    step();
}

static void use_signal_stack(void)
{
    stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
    if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0)
        abort();
}

/* Nothing is left by a jump here. */
static void on_signal_stack(int count)
{
    struct sigaction action = {.sa_handler = staying_handler, .sa_flags = SA_ONSTACK};
    use_signal_stack();
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < count; i++)
        interrupted(i % 6);
}

static void off_signal_stack(int count)
{
    struct sigaction action = {.sa_handler = jumping_handler, .sa_flags = SA_ONSTACK};
    use_signal_stack();
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < count; i++)
    {
        if (sigsetjmp(signal_target, 1) == 0)
            raising(i % 6);
        step();
    }
}

/* ---- Deep --------------------------------------------------------------------------------------
 */

__attribute__((noinline)) static long sink_to(long depth)
{
    step();
    if (depth == 0)
        return 0;
    return sink_to(depth - 1) + 1;
}

static void *deep_thread(void *depth)
{
    sink += sink_to((long)(intptr_t)depth);
    return NULL;
}

static void deep(int depth)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, 65536 + (size_t)depth * 256) != 0 ||
        pthread_create(&thread, &attributes, deep_thread, (void *)(intptr_t)depth) != 0)
        abort();
    pthread_join(thread, NULL);
    printf("%ld\n", sink);
}

/* ---- Tail calls
 * ----------------------------------------------------------------------------------- */

static long tail_even(long n);

__attribute__((noinline)) static long tail_odd(long n)
{
    TRUTH_ENTERED(step_truth);
    return n == 0 ? 0 : tail_even(n - 1);
}

__attribute__((noinline)) static long tail_even(long n)
{
    return n == 0 ? 1 : tail_odd(n - 1);
}

static void tail_calls(int count)
{
    for (int i = 0; i < count; i++)
        sink += tail_even(i % 50);
    printf("%ld\n", sink);
}

static const struct
{
    const char *name;
    void (*run)(int count);
} ways[] = {
    {"deep-frames", from_deep},
    {"into-loop", into_loop},
    {"alternating", alternating},
    {"different-frames", different_frames},
    {"from-handler", from_handler},
    {"signal-stack", on_signal_stack},
    {"off-signal-stack", off_signal_stack},
    {"recursion", deep},
    {"tail-calls", tail_calls},
};

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    step_truth = truth_open(strcmp(argv[1], "tail-calls") == 0 ? "tail_odd" : "step");
    jumped_truth = truth_open("jumped");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
        {
            ways[i].run(atoi(argv[2]));
            return 0;
        }
    return 2;
}
