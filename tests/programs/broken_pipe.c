/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: `pending` has a SIGPIPE of its own making that it blocks, `blocked` blocks it alone,
 * `open` does neither.  Calls step() until a file exists, and two million times more, and says
 * whether a SIGPIPE is pending then.  Usage: broken_pipe FILE open|blocked|pending
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned long steps;

static void step(void)
{
    steps++;
}

static void block(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, set, NULL);
}

static int write_in_vain(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    close(ends[0]);
    int result = write(ends[1], "x", 1) == -1 ? 0 : -1;
    close(ends[1]);
    return result;
}

int main(int argc, char **argv)
{
    sigset_t set;
    if (argc < 3)
        return 2;
    if (strcmp(argv[2], "open") != 0)
        block(&set);
    if (strcmp(argv[2], "pending") == 0 && write_in_vain() != 0)
        return 2;
    printf("started\n");
    fflush(stdout);
    while (access(argv[1], F_OK) != 0)
        for (int i = 0; i < 100000; i++)
            step();
    for (int i = 0; i < 2000000; i++)
        step();
    sigpending(&set);
    printf("%s\n", sigismember(&set, SIGPIPE) == 1 ? "pending" : "none");
    return 5;
}
