/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: coroutines on stacks that a signal handler was run on to get there, as portable
 * libraries make them; longjmp is what switches.  COUNT of them take turns in the middle of
 * nested frames, while another signal stack is in use.  Nothing is left by a jump but the
 * innermost frames of the first handler, "jumped" of them.  Usage: signal_coroutines COUNT
 */
#include "truth.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#define COROUTINES_MAX 16
#define STACK_BYTES 65536
#define ROUNDS 50

static struct truth *step_truth;
static struct truth *jumped;
static sigjmp_buf contexts[COROUTINES_MAX];
static sigjmp_buf scheduler;
static sigjmp_buf signal_target;
static int done[COROUTINES_MAX];
static volatile int current;

__attribute__((noinline)) static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

__attribute__((noinline)) static void yield(void)
{
    step();
    if (sigsetjmp(contexts[current], 1) == 0)
        siglongjmp(scheduler, 1);
    step();
}

__attribute__((noinline)) static void inner(int depth)
{
    step();
    if (depth > 0)
        inner(depth - 1);
    else
        yield();
    step();
}

__attribute__((noinline)) static void body(int number)
{
    for (int i = 0; i < ROUNDS; i++)
        inner((i + number) % 5);
    done[number] = 1;
}

/* Returns from the signal at first; what goes on behind it is not a handler any more.  It is
 * not profiled: its frame is returned from once and then again. */
__attribute__((no_instrument_function)) static void trampoline(int signal)
{
    (void)signal;
    if (sigsetjmp(contexts[current], 1) == 0)
        return;
    body(current);
    siglongjmp(scheduler, 1);
}

static void create(int number)
{
    struct sigaction action = {.sa_handler = trampoline, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_size = STACK_BYTES, .ss_sp = malloc(STACK_BYTES)};
    stack_t before;
    current = number;
    if (stack.ss_sp == NULL || sigaltstack(&stack, &before) != 0)
        abort();
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    if (sigaltstack(&before, NULL) != 0)
        abort();
}

static void turn(int number)
{
    current = number;
    if (sigsetjmp(scheduler, 1) == 0)
        siglongjmp(contexts[number], 1);
    step();
}

__attribute__((noinline)) static void leave(void)
{
    TRUTH_ENTERED(jumped); /* this frame */
    TRUTH_ENTERED(jumped); /* and the handler's */
    siglongjmp(signal_target, 1);
}

static void jumping_handler(int signal)
{
    (void)signal;
    step();
    leave();
}

static void interrupt(void)
{
    if (sigsetjmp(signal_target, 1) == 0)
        raise(SIGUSR2);
    step();
}

int main(int argc, char **argv)
{
    step_truth = truth_open("step");
    jumped = truth_open("jumped");
    int count = argc > 1 ? atoi(argv[1]) : 0;
    if (count < 1 || count > COROUTINES_MAX)
        return 2;
    struct sigaction action = {.sa_handler = jumping_handler, .sa_flags = SA_ONSTACK};
    stack_t stack = {.ss_size = STACK_BYTES, .ss_sp = malloc(STACK_BYTES)};
    if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0)
        abort();
    sigaction(SIGUSR2, &action, NULL);
    interrupt();
    for (int i = 0; i < count; i++)
        create(i);
    for (int left = count; left > 0;)
        for (int i = 0; i < count; i++)
            if (!done[i])
            {
                turn(i);
                interrupt();
                left -= done[i];
            }
    step();
    printf("%lu\n", (unsigned long)step_truth->entered);
    return 0;
}
