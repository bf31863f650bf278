/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helper, never profiled: runs a program under ptrace, as a debugger that follows children, and
 * says how many it was told of. Usage: follower PROGRAM...
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    int children = 0;
    int signal_now = 0;
    pid_t program = argc > 1 ? fork() : -1;
    if (program < 0)
        return 125;
    if (program == 0)
    {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(argv[1], argv + 1);
        return 126;
    }
    if (waitpid(program, &status, 0) != program ||
        ptrace(PTRACE_SETOPTIONS, program, NULL,
               PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE) != 0)
        return 124;
    while (!WIFEXITED(status) && !WIFSIGNALED(status))
    {
        unsigned long child;
        int event = status >> 16;
        children += event != 0;
        if (event != 0 && ptrace(PTRACE_GETEVENTMSG, program, NULL, &child) == 0)
        {
            waitpid((pid_t)child, &status, __WALL);
            ptrace(PTRACE_DETACH, (pid_t)child, NULL, NULL);
        }
        ptrace(PTRACE_CONT, program, NULL, (void *)(long)signal_now);
        if (waitpid(program, &status, __WALL) != program)
            return 123;
        int is_plain = WIFSTOPPED(status) && status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP;
        signal_now = is_plain ? WSTOPSIG(status) : 0;
    }
    printf("%d children, status %x\n", children, (unsigned)status);
    return 0;
}
