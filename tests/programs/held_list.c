/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: loads a library and then, within a function that dl_iterate_phdr calls, waits for
 * another thread, which makes calls and does what WAY says: "works", "ends", "forks", or
 * "exits", with status 3; "calls": it calls the library (plugin.c), and nothing of the program.
 * Usage: held_list WAY LIBRARY
 */
#include "truth.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>

#define STEPS 10000 /* more than a chunk has room for */

static struct truth *steps;
static const char *way;
static sem_t wanted;
static sem_t done;
static pthread_t worker;
static int (*library_work)(int times);

static void step(void)
{
    TRUTH_ENTERED(steps);
}

static void work(void)
{
    if (strcmp(way, "calls") == 0)
    {
        library_work(STEPS);
        return;
    }
    for (int i = 0; i < STEPS; i++)
    {
        TRUTH_CALLING(steps);
        step();
    }
}

static void make_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
    {
        work();
        _exit(3);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
        abort();
}

static void *run(void *unused)
{
    sem_wait(&wanted);
    work();
    if (strcmp(way, "forks") == 0)
        make_child();
    else if (strcmp(way, "exits") == 0)
        exit(3);
    work();
    if (strcmp(way, "ends") != 0)
        sem_post(&done);
    return unused;
}

static int visit(struct dl_phdr_info *object, size_t bytes, void *data)
{
    (void)object;
    (void)bytes;
    sem_post(&wanted);
    if (strcmp(way, "ends") == 0)
        pthread_join(worker, NULL);
    else
        sem_wait(&done);
    *(int *)data += 1;
    return 7;
}

int main(int argc, char **argv)
{
    int visits = 0;
    if (argc < 3)
        return 2;
    way = argv[1];
    steps = truth_open("step");
    sem_init(&wanted, 0, 0);
    sem_init(&done, 0, 0);
    if (pthread_create(&worker, NULL, run, NULL) != 0)
        abort();
    void *library = dlopen(argv[2], RTLD_NOW);
    if (library == NULL)
        abort();
    *(void **)&library_work = dlsym(library, "red_work");
    int result = dl_iterate_phdr(visit, &visits);
    if (strcmp(way, "ends") != 0)
        pthread_join(worker, NULL);
    printf("%d %d\n", result, visits);
    return 0;
}
