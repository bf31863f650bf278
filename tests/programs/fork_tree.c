/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forks of every kind.  Usage: fork_tree WAY COUNT; the ways are in the table at the
 * end of this file.
 */
#include "truth.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static struct truth *step_truth;

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
        step();
}

static pid_t checked_fork(void)
{
    pid_t child = fork();
    if (child < 0)
        abort();
    return child;
}

static void reap(pid_t child, int expected)
{
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != expected)
        abort();
}

/* ---- From threads -------------------------------------------------------------------- */

static void *forking(void *number)
{
    work(10);
    pid_t child = checked_fork();
    if (child == 0)
    {
        work(5);
        exit(4);
    }
    work(10);
    reap(child, 4);
    return number;
}

static void from_threads(int count)
{
    pthread_t threads[64];
    for (int i = 0; i < count && i < 64; i++)
        if (pthread_create(&threads[i], NULL, forking, NULL) != 0)
            abort();
    for (int i = 0; i < count && i < 64; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Forks of forks, many children ------------------------------------------------------ */

static void nested(int depth)
{
    work(depth);
    if (depth == 0)
        return;
    pid_t child = checked_fork();
    if (child == 0)
    {
        nested(depth - 1);
        exit(depth);
    }
    reap(child, depth);
}

static void many(int count)
{
    const int at_once = 50;
    for (int done = 0; done < count;)
    {
        pid_t children[50];
        int started = 0;
        for (; started < at_once && done < count; started++, done++)
        {
            children[started] = checked_fork();
            if (children[started] == 0)
            {
                work(3);
                _exit(7);
            }
        }
        for (int i = 0; i < started; i++)
            reap(children[i], 7);
    }
}

/* ---- Children that return through their parent's frames ----------------------------------- */

static pid_t deep_child;

static void inner(void)
{
    step();
    deep_child = checked_fork();
    step();
}

static void middle(int depth)
{
    step();
    if (depth > 0)
        middle(depth - 1);
    else
        inner();
    step();
}

static void through(int depth)
{
    middle(depth);
    work(2);
    if (deep_child > 0)
        reap(deep_child, 0);
}

/* ---- Children that outlive the parent, and daemons ------------------------------------------ */

static void sleep_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0)
        continue;
}

static void orphan(int count)
{
    pid_t parent = getpid();
    for (int i = 0; i < count; i++)
        if (checked_fork() == 0)
        {
            while (getppid() == parent)
                usleep(1000); /* no call of ours: who knows how often */
            sleep_ms(50);
            work(20);
            exit(0);
        }
    work(10);
}

static void daemonize(int count)
{
    if (checked_fork() > 0)
        exit(0);
    if (setsid() < 0)
        abort();
    if (checked_fork() > 0)
        exit(0);
    if (chdir("/") != 0)
        abort();
    umask(077);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    open("/dev/null", O_RDWR);
    if (dup(0) != 1 || dup(0) != 2)
        abort();
    work(count);
    sleep_ms(100);
    work(count);
}

static void libc_daemon(int count)
{
    if (daemon(0, 0) != 0)
        abort();
    work(count);
}

/* ---- Time: the child's clock begins at the fork -----------------------------------------------
 */

static void slow_child(int milliseconds)
{
    pid_t child = checked_fork();
    if (child == 0)
    {
        sleep_ms(milliseconds);
        step();
        exit(5);
    }
    reap(child, 5);
}

/* ---- A fork that is none: clone() with its own ways
 * ---------------------------------------------- */

static void raw_fork(int count)
{
    for (int i = 0; i < count; i++)
    {
        pid_t child = _Fork();
        if (child < 0)
            abort();
        if (child == 0)
        {
            work(3);
            exit(6);
        }
        reap(child, 6);
    }
}

static const struct
{
    const char *name;
    void (*run)(int count);
} ways[] = {
    {"from-threads", from_threads}, {"nested", nested},         {"many", many},
    {"through", through},           {"orphan", orphan},         {"daemonize", daemonize},
    {"libc-daemon", libc_daemon},   {"slow-child", slow_child}, {"raw", raw_fork},
};

int main(int argc, char **argv)
{
    step_truth = truth_open("step");
    if (argc < 3)
        return 2;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
        {
            ways[i].run(atoi(argv[2]));
            return 0;
        }
    return 2;
}
