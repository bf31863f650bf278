/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a child by clone that has its parent's memory, thread-local memory included, and works
 * at the same time.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define STACK_BYTES (1 << 20)

static int leaf(int x)
{
    return x + 1;
}

static int work(void *unused)
{
    volatile int sum = 0;
    (void)unused;
    for (int i = 0; i < 3000000; i++)
        sum = leaf(sum);
    return 5;
}

int main(void)
{
    char *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int status;
    work(NULL);
    pid_t child = clone(work, stack + STACK_BYTES, CLONE_VM | SIGCHLD, NULL);
    work(NULL);
    waitpid(child, &status, 0);
    printf("%x\n", status);
    return 3;
}
