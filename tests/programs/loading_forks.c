/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forks while one thread loads and unloads a library and another walks the list of
 * loaded objects with an instrumented callback: neither the threads nor a child may wait for
 * a lock of the loader's for ever.
 * Usage: loading_forks CHILDREN LIBRARY
 */
#include "truth.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>

static struct truth *steps;
static volatile int stop;

static void step(void)
{
    TRUTH_ENTERED(steps);
}

static int visit(struct dl_phdr_info *object, size_t bytes, void *data)
{
    (void)object;
    (void)bytes;
    (void)data;
    TRUTH_CALLING(steps);
    step();
    return 0;
}

static void *walk(void *unused)
{
    while (!stop)
        dl_iterate_phdr(visit, NULL);
    return unused;
}

static void *load(void *file)
{
    while (!stop)
    {
        void *library = dlopen(file, RTLD_NOW);
        if (library == NULL || dlclose(library) != 0)
            abort();
    }
    return NULL;
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
    {
        TRUTH_CALLING(steps);
        step();
    }
}

int main(int argc, char **argv)
{
    pthread_t walker;
    pthread_t loader;
    int good = 0;
    if (argc < 3)
        return 2;
    steps = truth_open("step");
    if (pthread_create(&walker, NULL, walk, NULL) != 0 ||
        pthread_create(&loader, NULL, load, argv[2]) != 0)
        abort();
    for (int i = 0; i < atoi(argv[1]); i++)
    {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
        {
            work(2000);
            _exit(3);
        }
        good += waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3;
    }
    stop = 1;
    pthread_join(walker, NULL);
    pthread_join(loader, NULL);
    printf("%d\n", good);
    return 0;
}
