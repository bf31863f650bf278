/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: executes itself by every function of the exec family, each in a child, with more
 * arguments than go in registers.  A new image exits with 3 only if its arguments and its
 * environment are what they were to be.
 */
#include "truth.h"

#include <stdio.h>
#include <sys/wait.h>

#define VARIABLE "EXEC_FAMILY"
/* The first one says what VARIABLE must be: "kept" as in `environ`, or "passed" in another one. */
#define ARGUMENTS(value) "exec_family", value, "b", "c", "d", "e", "", "g", "last"

extern char **environ;
static struct truth *step_truth;
static char self[4096];
static char *const kept[] = {ARGUMENTS("kept"), NULL};
static char *const passed[] = {ARGUMENTS("passed"), NULL};

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

/* Returns only if it could not. */
static void execute(int way, const char *name, char *const environment[])
{
    switch (way)
    {
    case 0:
        execv(self, kept);
        break;
    case 1:
        execvp(name, kept);
        break;
    case 2:
        execl(self, ARGUMENTS("kept"), (char *)NULL);
        break;
    case 3:
        execlp(name, ARGUMENTS("kept"), (char *)NULL);
        break;
    case 4:
        execve(self, passed, environment);
        break;
    case 5:
        execvpe(name, passed, environment);
        break;
    case 6:
        execle(self, ARGUMENTS("passed"), (char *)NULL, environment);
        break;
    case 7:
        fexecve(open(self, O_PATH | O_CLOEXEC), passed, environment);
        break;
    case 8:
        execveat(open(self, O_PATH | O_CLOEXEC), "", passed, environment, AT_EMPTY_PATH);
        break;
    default:
        break;
    }
}
#define WAYS 9

static void child(int way)
{
    static char *environment[1000];
    char *name = strrchr(self, '/') + 1;
    int count = 0;
    name[-1] = '\0'; /* for the functions that search the path */
    if (setenv("PATH", self, 1) != 0 || setenv(VARIABLE, "kept", 1) != 0)
        _exit(1);
    name[-1] = '/';
    for (; environ[count] != NULL && count < 998; count++)
        environment[count] =
            strcmp(environ[count], VARIABLE "=kept") == 0 ? VARIABLE "=passed" : environ[count];
    execute(way, name, environment);
    _exit(1);
}

static int check(int argc, char **argv)
{
    const char *variable = getenv(VARIABLE);
    char *const expected[] = {ARGUMENTS(argv[1]), NULL};
    step();
    for (int i = 0; i < argc; i++)
        if (expected[i] == NULL || strcmp(argv[i], expected[i]) != 0)
            return 1;
    return expected[argc] == NULL && variable != NULL && strcmp(variable, argv[1]) == 0 ? 3 : 1;
}

int main(int argc, char **argv)
{
    step_truth = truth_open("step");
    if (argc > 1)
        return check(argc, argv);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 2;
    for (int way = 0; way < WAYS; way++)
    {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            child(way);
        if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
        {
            fprintf(stderr, "way %d: status %x\n", way, status);
            return 1;
        }
    }
    return 0;
}
