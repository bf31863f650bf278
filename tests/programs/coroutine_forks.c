/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forks while coroutines wait in the middle of their frames; parent and child both go on
 * with them to their ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define COROUTINES 4
#define STACK_BYTES 65536

static ucontext_t scheduler;
static ucontext_t contexts[COROUTINES];
static int is_done[COROUTINES];
static int current;
static long steps;

static void step(void)
{
    steps++;
}

static void wait_below(int depth)
{
    step();
    if (depth == 0)
        swapcontext(&contexts[current], &scheduler);
    else
        wait_below(depth - 1);
    step();
}

static void body(int number)
{
    for (int i = 0; i < 5; i++)
        wait_below(i + number);
    is_done[number] = 1;
}

static void resume(int number)
{
    current = number;
    swapcontext(&scheduler, &contexts[number]);
}

static void run(int rounds)
{
    for (int i = 0; i < rounds * COROUTINES; i++)
        if (!is_done[i % COROUTINES])
            resume(i % COROUTINES);
}

int main(void)
{
    for (int i = 0; i < COROUTINES; i++)
    {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(STACK_BYTES);
        contexts[i].uc_stack.ss_size = STACK_BYTES;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], (void (*)(void))body, 1, i);
    }
    run(2);
    int status = -1;
    pid_t child = fork();
    run(20);
    if (child == 0)
        exit(3);
    waitpid(child, &status, 0);
    printf("%ld %d\n", steps, WEXITSTATUS(status));
    return 0;
}
