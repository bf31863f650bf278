/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: tells everything about itself that a runtime could disturb: one line a fact on
 * standard output.  What differs from run to run anyway (process ids) is told as
 * relations.  Its output must be the same with and without libfc.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_DESCRIPTORS 100 /* a runtime's own are above */

extern char **environ;
static volatile sig_atomic_t children_signalled;

static void on_child(int signal)
{
    (void)signal;
    children_signalled++;
}

static int add(int a, int b)
{
    return a + b;
}

static void tell_errno(void)
{
    int changed = 0;
    for (int i = 0; i < 100000; i++)
    {
        errno = 4711;
        add(i, i);
        changed += errno != 4711;
    }
    printf("errno changed %d times\n", changed);
}

static void tell_environment(void)
{
    for (char **variable = environ; *variable != NULL; variable++)
        if (strncmp(*variable, "FC_", 3) != 0)
            printf("env %s\n", *variable);
    printf("PATH %s\n", getenv("PATH"));
}

static void tell_directory(void)
{
    char directory[4096];
    struct stat status;
    printf("cwd %s\n", getcwd(directory, sizeof directory) != NULL ? directory : "?");
    mode_t mask = umask(0);
    umask(mask);
    printf("umask %03o\n", (unsigned)mask);
    printf("stdin %s\n", fstat(0, &status) == 0 ? "open" : "closed");
}

static void tell_descriptors(void)
{
    for (int fd = 0; fd < OWN_DESCRIPTORS; fd++)
    {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0)
            printf("fd %d flags %d status %#x\n", fd, flags,
                   (unsigned)fcntl(fd, F_GETFL) & ~(unsigned)O_APPEND);
    }
    int next = open("/dev/null", O_RDONLY);
    printf("next fd %d\n", next);
    close(next);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    printf("descriptors %llu of %llu\n", (unsigned long long)limit.rlim_cur,
           (unsigned long long)limit.rlim_max);
}

static void tell_signals(void)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    for (int signal = 1; signal < 64; signal++)
    {
        struct sigaction action;
        if (sigismember(&set, signal) == 1)
            printf("blocked %d\n", signal);
        if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            printf("signal %d %s\n", signal, action.sa_handler == SIG_IGN ? "ignored" : "handled");
    }
    sigpending(&set);
    for (int signal = 1; signal < 64; signal++)
        if (sigismember(&set, signal) == 1)
            printf("pending %d\n", signal);
    printf("alarm %u\n", alarm(0));
}

static void tell_processes(void)
{
    printf("group leader %d session leader %d\n", getpgrp() == getpid(), getsid(0) == getpid());
    pid_t seen = waitpid(-1, NULL, WNOHANG);
    printf("child before: %d %s\n", (int)seen, strerror(errno));
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 3; i++)
    {
        pid_t child = fork();
        if (child == 0)
            _exit(add(10, i));
        int status = 0;
        seen = wait(&status);
        printf("child %s status %d\n", seen == child ? "own" : "foreign", WEXITSTATUS(status));
    }
    seen = wait(NULL);
    printf("no more: %d %s\n", (int)seen, strerror(errno));
    printf("SIGCHLD %d times\n", (int)children_signalled);
}

static void tell_rest(void)
{
    printf("locale %s\n", setlocale(LC_ALL, NULL));
    printf("rounding %d exceptions %d\n", fegetround(), fetestexcept(FE_ALL_EXCEPT));
    FILE *threads = popen("ls /proc/$PPID/task | wc -l", "r");
    int count = 0;
    if (threads == NULL || fscanf(threads, "%d", &count) != 1)
        count = -1;
    if (threads != NULL)
        pclose(threads);
    printf("threads %d\n", count);
    fprintf(stderr, "to standard error\n");
}

int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("argument %d %s\n", i, i > 0 ? argv[i] : "");
    tell_errno();
    tell_environment();
    tell_directory();
    tell_descriptors();
    tell_signals();
    tell_processes();
    tell_rest();
    return add(20, 22);
}
