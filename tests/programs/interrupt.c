/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs interrupted.c and has SIGUSR1 come at random instructions, as a tracer that lets it go
 * instruction by instruction.  Usage: interrupt SEED PROGRAM ARGUMENT...
 *
 * What the hooks mostly do, to count a call, takes so few instructions that it would be all that is
 * interrupted: three in four signals are kept for calls that turn out to take more.
 *
 * Ends with the program's status, 77 where it may not trace, 99 if a signal ended the program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t traced;

/* Lets it go on, with that signal, until it stops; the signal then. */
static int go(enum __ptrace_request how, int signal)
{
    int status = 0;
    if (ptrace(how, traced, 0, signal) != 0 || waitpid(traced, &status, 0) != traced)
    {
        perror("interrupt: ptrace");
        exit(2);
    }
    if (!WIFSTOPPED(status))
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
    return WSTOPSIG(status);
}

static int is_mark(int signal)
{
    siginfo_t info;
    return signal == SIGTRAP && ptrace(PTRACE_GETSIGINFO, traced, 0, &info) == 0 &&
           info.si_code == SI_TKILL;
}

static void go_to_mark(int signal)
{
    while (!is_mark(signal = go(PTRACE_CONT, signal)))
        if (signal == SIGTRAP)
            signal = 0;
}

/* Stops at a mark, or after `steps` instructions, of which it did so many. */
static long step(long steps, int *marked)
{
    long done = 0;
    for (*marked = 0; done < steps && !*marked; done++)
        *marked = is_mark(go(PTRACE_SINGLESTEP, 0));
    return done;
}

int main(int argc, char **argv)
{
    long fewest = 1000;
    int status;
    if (argc < 3)
        return 2;
    srand((unsigned)atoi(argv[1]));
    traced = fork();
    if (traced == 0)
    {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            _exit(77);
        execv(argv[2], &argv[2]);
        _exit(127);
    }
    if (waitpid(traced, &status, 0) != traced)
        return 2;
    if (!WIFSTOPPED(status))
        return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    for (;;)
    {
        int marked;
        go_to_mark(0);
        const long more = rand() % 4 != 0 ? fewest + fewest / 2 : 0;
        const long done = step(more + rand() % (more != 0 ? 8 * fewest : fewest), &marked);
        if (!marked)
            go_to_mark(SIGUSR1);
        else if (done < fewest)
            fewest = done;
    }
}
