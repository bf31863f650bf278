/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * children COUNT KINDS: forks COUNT children, one after the other, each of which executes this
 * program as `children -K`, K one of KINDS numbers in turn.  That calls `work` K + 1 times and
 * exits with status 1 if K is 7.  With a third argument it prints a line when that is done, and
 * waits for the end of its input. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
static void *volatile leaked;

static void work(int i)
{
    sum += i;
}

static int child(int kind)
{
    for (int i = 0; i <= kind; i++)
        work(i);
    leaked = malloc(10);
    return kind == 7;
}

static void run(const char *program, int kind)
{
    char word[16];
    snprintf(word, sizeof word, "-%d", kind);
    const pid_t pid = fork();
    if (pid == 0)
    {
        execl(program, program, word, NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argv[1][0] == '-')
        return child(atoi(argv[1] + 1));
    for (int i = 0; i < atoi(argv[1]); i++)
        run(argv[0], i % atoi(argv[2]));
    if (argc > 3)
    {
        puts("done");
        fflush(stdout);
        getchar();
    }
    return 0;
}
