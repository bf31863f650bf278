/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: makes 12 processes, four at a time, in a PID namespace of their own, each of which calls
 * leaf() 1000 times. Usage: namespaces WAY END [lock]
 * WAY: how the namespace comes to be: unshare, clone; here: this is its first process already.
 * END: how its first process ends: exit, abort; kill: its parent kills it, and the kernel the last
 * four with it; leave: it exits while the last four go on calling.
 * lock: the program locks before what it can of all pipes that it has.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_A_TIME 4

static const char *end;
static int ready[2];

static int leaf(int number)
{
    return number + 1;
}

static void work(int calls)
{
    volatile int sum = 0;
    for (int i = 0; i < calls; i++)
        sum = leaf(sum);
}

static void child(int stays)
{
    work(1000);
    if (stays && write(ready[1], "x", 1) != 1)
        exit(2);
    while (stays && strcmp(end, "leave") == 0)
        work(10);
    while (stays)
        pause();
    exit(0);
}

static void wait_until_ready(void)
{
    char byte;
    for (int i = 0; i < AT_A_TIME; i++)
        if (read(ready[0], &byte, 1) != 1)
            exit(3);
}

static int first(void *unused)
{
    int stay = strcmp(end, "kill") == 0 || strcmp(end, "leave") == 0;
    (void)unused;
    for (int round = 0; round < 3; round++)
    {
        for (int i = 0; i < AT_A_TIME; i++)
            if (fork() == 0)
                child(stay && round == 2);
        while (!(stay && round == 2) && wait(NULL) > 0)
            continue;
    }
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "leave") == 0)
        wait_until_ready();
    while (strcmp(end, "kill") == 0)
        pause();
    return 0;
}

static pid_t make(const char *way)
{
    static char stack[65536] __attribute__((aligned(16)));
    int flags = CLONE_NEWPID | (geteuid() != 0 ? CLONE_NEWUSER : 0);
    if (strcmp(way, "clone") == 0)
        return clone(first, stack + sizeof stack, flags | SIGCHLD, NULL);
    if (unshare(flags) != 0)
        return -1;
    pid_t made = fork();
    if (made == 0)
        exit(first(NULL));
    return made;
}

static void lock_pipes(void)
{
    const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int locked = 0;
    for (int fd = 0; fd < 65536; fd++)
        locked += fcntl(fd, F_SETLK, &lock) == 0;
    if (locked == 0)
        exit(5);
}

int main(int argc, char **argv)
{
    end = argc > 2 ? argv[2] : "";
    if (argc > 3)
        lock_pipes();
    if (argc < 3 || pipe(ready) != 0)
        return 2;
    if (strcmp(argv[1], "here") == 0)
        return first(NULL);
    pid_t made = make(argv[1]);
    if (made < 0)
        return 77;
    if (strcmp(end, "kill") == 0)
    {
        wait_until_ready();
        kill(made, SIGKILL);
    }
    int status;
    if (waitpid(made, &status, 0) != made)
        return 4;
    work(3);
    printf("%s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}
