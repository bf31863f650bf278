/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forks again and again, each time right after it has loaded and unloaded a library, while
 * threads are at work; each child loads that library.  In no child may a lock of the loader's be
 * held by a thread that is not there.
 * Usage: fork_then_load CHILDREN LIBRARY
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static int stop; /* atomic */

static void step(void)
{
    __asm__ volatile("");
}

static void *work(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        for (int i = 0; i < 1000; i++)
            step();
    return unused;
}

static int has_loaded(const char *file)
{
    void *library = dlopen(file, RTLD_NOW);
    return library != NULL && dlclose(library) == 0;
}

static int is_good(const char *file)
{
    int status = 0;
    pid_t child = has_loaded(file) ? fork() : -1;
    if (child == 0)
        _exit(has_loaded(file) ? 3 : 4);
    return child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int good = 0;
    if (argc < 3)
        return 2;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            abort();
    for (int i = 0; i < atoi(argv[1]); i++)
        good += is_good(argv[2]);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", good);
    return 0;
}
