/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a tree of processes: DEPTH levels of WIDTH children each; every process calls
 * step() as often as its level says, plus once for each child, and prints
 * "PID PPID LEVEL CALLS" when its children are gone.  Usage: tree DEPTH WIDTH
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int steps;

static void step(void)
{
    steps++;
}

static void grow(int level, int depth, int width)
{
    steps = 0; /* what the parent called is not the child's */
    for (int i = 0; i < 10 * (level + 1); i++)
        step();
    for (int i = 0; level < depth && i < width; i++)
    {
        step();
        pid_t child = fork();
        if (child < 0)
            abort();
        if (child == 0)
        {
            grow(level + 1, depth, width);
            exit(level + 1);
        }
    }
    int status;
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status) != level + 1)
            abort();
    printf("%d %d %d %d\n", (int)getpid(), (int)getppid(), level, steps);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    grow(0, argc > 1 ? atoi(argv[1]) : 1, argc > 2 ? atoi(argv[2]) : 1);
    return 0;
}
