/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forbids itself the time-stamp counter when it has called `leaf` so many times, and goes
 * on calling it, in a thread and a forked child as well.  Usage: no_counter CALLS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls;

static int leaf(int x)
{
    return x + 1;
}

static void *work(void *sum)
{
    for (int i = 0; i < calls; i++)
        *(int *)sum = leaf(*(int *)sum);
    return NULL;
}

int main(int argc, char **argv)
{
    calls = argc > 1 ? atoi(argv[1]) : 0;
    int sum = 0;
    int others = 0;
    pthread_t thread;
    work(&sum);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        return 1;
    work(&sum);
    pthread_create(&thread, NULL, work, &others);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0)
    {
        work(&sum);
        _exit(2);
    }
    int status;
    waitpid(child, &status, 0);
    printf("%d %d %d\n", sum, others, status);
    return 3;
}
