/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: children that end at the same time, again and again; as soon as it has waited for one it
 * looks for the file that `functioncheck.fc.PID` names.  Prints how many were not there yet.
 * Usage: ends_together ROUNDS CHILDREN
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* So that some have more to tell than others. */
static int work(int depth)
{
    return depth == 0 ? 0 : work(depth - 1) + 1;
}

static void child(int number, int gate)
{
    char byte;
    while (read(gate, &byte, 1) > 0)
        continue;
    for (int i = 0; i < number * 200; i++)
        work(10);
    exit(0);
}

/* 1 where the file of a child that has ended is not there. */
static int wait_for_one(void)
{
    char name[64];
    pid_t pid = wait(NULL);
    snprintf(name, sizeof name, "functioncheck.fc.%d", (int)pid);
    return access(name, R_OK) != 0;
}

int main(int argc, char **argv)
{
    int missing = 0, rounds = argc > 1 ? atoi(argv[1]) : 0, children = argc > 2 ? atoi(argv[2]) : 0;
    for (int round = 0; round < rounds; round++)
    {
        int gate[2];
        if (pipe(gate) != 0)
            return 2;
        for (int i = 0; i < children; i++)
        {
            pid_t pid = fork();
            if (pid < 0)
                return 2;
            if (pid == 0)
            {
                close(gate[1]);
                child(i, gate[0]);
            }
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < children; i++)
            missing += wait_for_one();
    }
    printf("%d\n", missing);
    return 0;
}
