/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: children that no fork handler is called for, made by clone and by system calls.
 * Parent and child call functions at the same time.
 * Usage: clones WAY TIMES, WAY: clone, clone-vm, fork, clone-call, clone3
 */
#include "truth.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define STACK_BYTES 65536
#define TURNS 20

static struct truth *steps;

static void step(void)
{
    TRUTH_ENTERED(steps);
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
    {
        TRUTH_CALLING(steps);
        step();
    }
}

static int child(void *times)
{
    work(*(int *)times);
    return 3;
}

#if defined(SYS_fork)
#define CALL_FORK() syscall(SYS_fork)
#else /* arm64 has none */
#define CALL_FORK() syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0)
#endif

static pid_t make_child(const char *way, int *times)
{
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    pid_t pid;
    if (strcmp(way, "clone") == 0)
        return clone(child, stack + STACK_BYTES, SIGCHLD, times);
    if (strcmp(way, "clone-vm") == 0)
        return clone(child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, times);
    if (strcmp(way, "fork") == 0)
        pid = (pid_t)CALL_FORK();
    else if (strcmp(way, "clone-call") == 0)
        pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    else
        pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0)
        _exit(child(times));
    return pid;
}

/* What must not be taken for a fork, and errors, are as without us. */
static void check_system_calls(void)
{
    errno = 0;
    long result = syscall(SYS_clone3, NULL, 0);
    printf("%ld %d, ", result, errno == EINVAL);
    result = syscall(SYS_clone, (long)(CLONE_THREAD | SIGCHLD), NULL, NULL, NULL, 0);
    printf("%ld %d, ", result, errno == EINVAL);
    result = syscall(SYS_close, -1);
    printf("%ld %d, %d\n", result, errno == EBADF, syscall(SYS_getpid) == getpid());
}

int main(int argc, char **argv)
{
    int good = 0;
    if (argc < 3)
        return 2;
    int times = atoi(argv[2]);
    steps = truth_open("step");
    check_system_calls();
    for (int i = 0; i < TURNS; i++)
    {
        int status = 0;
        work(5);
        pid_t pid = make_child(argv[1], &times);
        work(times);
        good += pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3;
    }
    printf("%d\n", good);
    return 0;
}
