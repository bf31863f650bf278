/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: starts other images, profiled and unprofiled, in every way there is.
 * Usage: exec_chain WAY [COUNT]; the ways are in the table at the end of this file.
 */
#include "truth.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

extern char **environ;
static struct truth *step_truth;
static char self[4096];

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
        step();
}

static void reap(pid_t child, int expected)
{
    int status;
    if (child <= 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != expected)
        abort();
}

/* The same process goes through COUNT images. */
static int chain(int count)
{
    char next[16];
    snprintf(next, sizeof next, "%d", count - 1);
    work(count);
    if (count > 1)
        execl(self, self, "chain", next, (char *)NULL);
    return count > 1 ? 1 : 9;
}

/* Likewise, and the last one is killed. */
static int chain_killed(int count)
{
    char next[16];
    snprintf(next, sizeof next, "%d", count - 1);
    work(count);
    if (count > 1)
        execl(self, self, "chain-killed", next, (char *)NULL);
    kill(getpid(), SIGKILL);
    return 1;
}

static int leaf(int count)
{
    work(count);
    return 3;
}

static int failing_exec(int count)
{
    work(count);
    for (int i = 0; i < count; i++)
        if (execl("/nonexistent/program", "program", (char *)NULL) != -1 || errno != ENOENT)
            return 1;
    work(count);
    return 0;
}

static int fork_exec(int count)
{
    for (int i = 0; i < count; i++)
    {
        pid_t child = fork();
        if (child == 0)
        {
            step();
            execl(self, self, "leaf", "4", (char *)NULL);
            _exit(1);
        }
        work(2);
        reap(child, 3);
    }
    return 0;
}

static int vfork_exec(int count)
{
    for (int i = 0; i < count; i++)
    {
        pid_t child = vfork();
        if (child == 0)
        {
            execl(self, self, "leaf", "4", (char *)NULL);
            _exit(1);
        }
        work(2);
        reap(child, 3);
    }
    return 0;
}

static int vfork_exit(int count)
{
    for (int i = 0; i < count; i++)
    {
        pid_t child = vfork();
        if (child == 0)
        {
            step(); /* on the parent's stack, in its memory */
            _exit(3);
        }
        work(2);
        reap(child, 3);
    }
    return 0;
}

static int spawn(int count)
{
    for (int i = 0; i < count; i++)
    {
        char *arguments[] = {self, "leaf", "4", NULL};
        pid_t child;
        if (posix_spawn(&child, self, NULL, NULL, arguments, environ) != 0)
            return 1;
        work(2);
        reap(child, 3);
    }
    return 0;
}

static int shell(int count)
{
    char command[4200];
    snprintf(command, sizeof command, "'%s' leaf 4", self);
    for (int i = 0; i < count; i++)
    {
        int status = system(command);
        work(2);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
            return 1;
    }
    return 0;
}

static int pipe_open(int count)
{
    char command[4200];
    snprintf(command, sizeof command, "'%s' leaf 4; echo line", self);
    for (int i = 0; i < count; i++)
    {
        char line[16] = "";
        FILE *stream = popen(command, "r");
        if (stream == NULL || fgets(line, sizeof line, stream) == NULL || pclose(stream) != 0)
            return 1;
        work(2);
        if (strcmp(line, "line\n") != 0)
            return 1;
    }
    return 0;
}

static int into_unprofiled(int count)
{
    work(count);
    execl("/bin/true", "true", (char *)NULL);
    return 1;
}

static int through_unprofiled(int count)
{
    char command[4200];
    work(count);
    snprintf(command, sizeof command, "exec '%s' leaf 4", self);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    return 1;
}

/* Goes on for a long time when this process is gone. */
static int leaves_unprofiled(int count)
{
    char *arguments[] = {"sleep", "300", NULL};
    pid_t child;
    struct truth *pid = truth_open("value:sleeper");
    posix_spawn_file_actions_t actions;
    work(count);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return 1;
    for (int fd = 0; fd < 3; fd++) /* whoever reads our output is not to wait */
        posix_spawn_file_actions_addclose(&actions, fd);
    if (posix_spawnp(&child, "sleep", &actions, NULL, arguments, environ) != 0)
        return 1;
    posix_spawn_file_actions_destroy(&actions);
    pid->entered = (uint64_t)child;
    return 0;
}

static const struct
{
    const char *name;
    int (*run)(int count);
} ways[] = {
    {"chain", chain},
    {"chain-killed", chain_killed},
    {"leaf", leaf},
    {"failing", failing_exec},
    {"fork-exec", fork_exec},
    {"vfork-exec", vfork_exec},
    {"vfork-exit", vfork_exit},
    {"spawn", spawn},
    {"system", shell},
    {"popen", pipe_open},
    {"into-unprofiled", into_unprofiled},
    {"through-unprofiled", through_unprofiled},
    {"leaves-unprofiled", leaves_unprofiled},
};

int main(int argc, char **argv)
{
    step_truth = truth_open("step");
    if (argc < 3 || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 2;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
            return ways[i].run(atoi(argv[2]));
    return 2;
}
