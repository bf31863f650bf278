/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: executes programs with large environments, from a thread with a small stack.
 * Usage: environments WAY COUNT
 * "fork", "vfork" and "spawn" give each of three children COUNT variables; "limit" gives one
 * child as much as the kernel takes, of COUNT at most.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *way;
static char **variables;
static char *nothing[] = {"true", NULL};

static char **make_variables(int count)
{
    char **made = calloc((size_t)count + 1, sizeof *made);
    for (int i = 0; i < count; i++)
        if (asprintf(&made[i], "V%05d=%s", i, way) < 0)
            abort();
    return made;
}

static int start(pid_t *child)
{
    if (strcmp(way, "spawn") == 0)
        return posix_spawn(child, "/bin/true", NULL, NULL, nothing, variables);
    *child = strcmp(way, "vfork") == 0 ? vfork() : fork();
    if (*child == 0)
    {
        execve("/bin/true", nothing, variables);
        _exit(errno);
    }
    return 0;
}

static void *run(void *unused)
{
    for (int i = 0; i < 3; i++)
    {
        int status = -1;
        pid_t child = -1;
        int error = start(&child);
        waitpid(child, &status, 0);
        printf("%s: %s, status %x\n", way, strerror(error), (unsigned)status);
    }
    return unused;
}

static int execute(int count)
{
    char *last = variables[count];
    int status = -1;
    variables[count] = NULL;
    pid_t child = -1;
    if (start(&child) == 0)
        waitpid(child, &status, 0);
    variables[count] = last;
    return WEXITSTATUS(status);
}

/* The largest environment that goes, by trying, and one entry more. */
static void find_limit(int count)
{
    int low = 0;
    while (low + 1 < count)
    {
        int middle = (low + count) / 2;
        if (execute(middle) == 0)
            low = middle;
        else
            count = middle;
    }
    printf("%d variables, then %s\n", low, strerror(execute(low + 1)));
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (argc < 3)
        return 2;
    way = argv[1];
    variables = make_variables(atoi(argv[2]));
    if (strcmp(way, "limit") == 0)
    {
        find_limit(atoi(argv[2]));
        return 0;
    }
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 16384);
    if (pthread_create(&thread, &attributes, run, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
    return 0;
}
