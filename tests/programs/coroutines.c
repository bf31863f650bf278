/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: coroutines by makecontext and swapcontext: COUNT of them take turns in the middle of
 * nested frames.  Nothing is ever left by a jump.  Usage: coroutines WAY COUNT; "turns": each
 * on memory of its own; "threads": the same in several threads; "reuse": stacks are used
 * by one coroutine after the other; "static": their stacks are in the program's data.
 */
#include "truth.h"

#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>

#define COROUTINES_MAX 64
#define STACK_BYTES 65536
#define ROUNDS 50

static struct truth *step_truth;
static char static_stacks[8][STACK_BYTES];

struct scheduler
{
    ucontext_t main;
    ucontext_t contexts[COROUTINES_MAX];
    char *stacks[COROUTINES_MAX];
    int done[COROUTINES_MAX];
    int current;
};

static __thread struct scheduler *scheduler;

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void yield(void)
{
    step();
    swapcontext(&scheduler->contexts[scheduler->current], &scheduler->main);
    step();
}

static void inner(int depth)
{
    step();
    if (depth > 0)
        inner(depth - 1);
    else
        yield();
    step();
}

static void body(int number)
{
    for (int i = 0; i < ROUNDS; i++)
        inner((i + number) % 5);
    scheduler->done[number] = 1;
}

static void turn(int number)
{
    scheduler->current = number;
    swapcontext(&scheduler->main, &scheduler->contexts[number]);
    step();
}

static void create(int number)
{
    ucontext_t *context = &scheduler->contexts[number];
    getcontext(context);
    context->uc_stack.ss_sp = scheduler->stacks[number];
    context->uc_stack.ss_size = STACK_BYTES;
    context->uc_link = &scheduler->main;
    scheduler->done[number] = 0;
    makecontext(context, (void (*)(void))body, 1, number);
}

static void *run(void *argument)
{
    int count = (int)(intptr_t)argument;
    scheduler = calloc(1, sizeof *scheduler);
    if (scheduler == NULL)
        abort();
    for (int i = 0; i < count; i++)
    {
        scheduler->stacks[i] = malloc(STACK_BYTES);
        create(i);
    }
    for (int left = count; left > 0;)
        for (int i = 0; i < count; i++)
            if (!scheduler->done[i])
            {
                turn(i);
                left -= scheduler->done[i];
            }
    for (int i = 0; i < count; i++)
        free(scheduler->stacks[i]);
    free(scheduler);
    return NULL;
}

static void *run_one_by_one(void *argument)
{
    scheduler = calloc(1, sizeof *scheduler);
    if (scheduler == NULL)
        abort();
    for (int i = 0; i < 8; i++)
        scheduler->stacks[i] = static_stacks[i];
    for (int i = 0; i < (int)(intptr_t)argument; i++)
    {
        create(i % 8);
        while (!scheduler->done[i % 8])
            turn(i % 8);
    }
    free(scheduler);
    return NULL;
}

static void run_in_threads(int count)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(intptr_t)count) != 0)
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    step_truth = truth_open("step");
    int count = argc > 2 ? atoi(argv[2]) : 0;
    if (argc < 3 || count > COROUTINES_MAX)
        return 2;
    if (strcmp(argv[1], "threads") == 0)
        run_in_threads(count);
    else if (strcmp(argv[1], "reuse") == 0)
        run_one_by_one((void *)(intptr_t)count);
    else
        run((void *)(intptr_t)count);
    step();
    printf("%lu\n", (unsigned long)step_truth->entered);
    return 0;
}
