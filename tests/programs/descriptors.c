/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: which descriptors it finds open below its limit, and how many it is left to open; at its
 * start, after it closed all that are not standard, and in an image that a child executes.
 * Usage: descriptors
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int turns;

static void turn(void)
{
    turns++;
}

static int limit_of(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (int)limit.rlim_cur : -1;
}

static void tell(const char *when)
{
    for (int i = 0; i < 5000; i++) /* more than a chunk has room for: a message is sent */
        turn();
    printf("%s: limit %d, open", when, limit_of());
    for (int fd = 0; fd < limit_of(); fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    int first = dup(0);
    int more = 1;
    while (dup(0) >= 0)
        more++;
    printf(", %d more from %d\n", more, first);
    fflush(stdout);
    for (int i = 0; i < 5000; i++) /* and when all are taken */
        turn();
    for (int fd = 3; fd < limit_of(); fd++)
        close(fd);
}

int main(int argc, char **argv)
{
    tell("start");
    for (int fd = 3; fd < 8192; fd++)
        close(fd);
    tell("closed");
    if (argc > 1)
        return 0;
    pid_t child = fork();
    if (child == 0)
    {
        tell("child");
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    tell("parent");
    return status == 0 ? 0 : 1;
}
