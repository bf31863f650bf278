/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: counts its relatives. Usage:
 * family adopt       becomes one that adopts orphans, and executes itself as
 * family wait        has a child and a grandchild, waits with __WALL for all that there is, and
 * says how many there were and whether it adopts orphans family kill NUMBER sends the signal to all
 * processes but itself
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int leaf(int number)
{
    return number + 1;
}

static int wait_for_all(void)
{
    int count = 0;
    int adopts = -1;
    sigset_t pending;
    sigpending(&pending); /* that of a child of ours is yet to come */
    pid_t child = fork();
    if (child == 0)
    {
        if (fork() == 0)
            usleep(100000); /* an orphan by then */
        _exit(leaf(3));
    }
    while (waitpid(-1, NULL, __WALL) > 0)
        count++;
    int error = errno;
    prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    printf("waited for %d, then %s, adopts %d, SIGCHLD %d\n", count, strerror(error), adopts,
           sigismember(&pending, SIGCHLD));
    return 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "adopt") == 0)
    {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        execl(argv[0], argv[0], "wait", NULL);
    }
    if (strcmp(way, "wait") == 0)
        return wait_for_all();
    if (strcmp(way, "kill") != 0 || argc < 3)
        return 2;
    for (int i = 0; i < 100; i++)
        leaf(i);
    kill(-1, atoi(argv[2]));
    usleep(100000);
    for (int i = 0; i < 100; i++)
        leaf(i);
    return 0;
}
