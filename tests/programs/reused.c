/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a thread, the only one that is profiled, calls a library that another one has loaded at
 * the addresses of one before it, and then, as WAY says, "fills" its chunk, "ends", has a child
 * ("forks"), "executes" this program, with which it prints what is printed, or "closes" the
 * library.  "left": it fills its chunk, after a third thread ended itself within a function
 * that dl_iterate_phdr called.  "late": loading takes as long as the constructor of a third
 * library, at which another thread is.
 * Usage: reused WAY RED GREEN SLOW
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NO_HOOKS __attribute__((no_instrument_function))
#define FEW 11
#define MANY 20000    /* more than a chunk has room for */
#define LATE_MS 300   /* how long the slow library takes, */
#define NAP_MS 10     /* and what is done meanwhile is done this often */
#define MEANWHILE 200 /* calls */

static char **words;
static int (*work)(int times);
static void *green;
static sem_t wanted;
static sem_t done;
static sem_t go;
static sem_t at_wait;

NO_HOOKS static int is_way(const char *way)
{
    return strcmp(words[1], way) == 0;
}

NO_HOOKS static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

NO_HOOKS static void *load(const char *file, const char *name)
{
    void *library = dlopen(file, RTLD_NOW);
    void *function = library ? dlsym(library, name) : NULL;
    if (function == NULL)
        abort();
    *(void **)&work = function;
    return library;
}

NO_HOOKS static void start(pthread_t *thread, void *(*function)(void *))
{
    if (pthread_create(thread, NULL, function, NULL) != 0)
        abort();
}

/* ---- What is profiled --------------------------------------------------------------- */

static void other(void)
{
    __asm__ volatile("");
}

static void make_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
}

static void *run(void *unused)
{
    work(FEW);
    sem_post(&done);
    while (sem_trywait(&wanted) != 0)
    {
        for (int i = 0; i < MEANWHILE; i++)
            other();
        nap_ms(NAP_MS);
    }
    work(is_way("fills") || is_way("left") || is_way("late") ? MANY : FEW);
    if (is_way("forks"))
        make_child();
    else if (is_way("executes"))
        execl("/proc/self/exe", words[0], "as wanted", (char *)NULL);
    else if (is_way("closes"))
        dlclose(green);
    return unused;
}

/* ---- What is not ---------------------------------------------------------------------- */

NO_HOOKS static int leave(struct dl_phdr_info *object, size_t bytes, void *data)
{
    (void)object;
    (void)bytes;
    pthread_exit(data);
}

NO_HOOKS static void *walk(void *unused)
{
    dl_iterate_phdr(leave, unused);
    return unused;
}

void reused_wait(void);

/* Called by the constructor of the slow library. */
NO_HOOKS void reused_wait(void)
{
    sem_post(&at_wait);
    sem_wait(&go);
}

NO_HOOKS static void *load_slow(void *unused)
{
    if (dlopen(words[4], RTLD_NOW) == NULL)
        abort();
    return unused;
}

NO_HOOKS static void *release_slow(void *unused)
{
    nap_ms(LATE_MS);
    sem_post(&go);
    return unused;
}

NO_HOOKS static void load_late(void)
{
    pthread_t threads[2];
    start(&threads[0], load_slow);
    sem_wait(&at_wait);
    start(&threads[1], release_slow);
    green = load(words[3], "green_work");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

NO_HOOKS int main(int argc, char **argv)
{
    pthread_t runner;
    if (argc < 3)
        return puts(argv[1]) < 0;
    words = argv;
    sem_init(&wanted, 0, 0);
    sem_init(&done, 0, 0);
    sem_init(&go, 0, 0);
    sem_init(&at_wait, 0, 0);
    void *red = load(argv[2], "red_work");
    const void *first = *(void **)&work;
    start(&runner, run);
    sem_wait(&done);
    dlclose(red);
    if (is_way("left"))
    {
        pthread_t walker;
        start(&walker, walk);
        pthread_join(walker, NULL);
    }
    if (is_way("late"))
        load_late();
    else
        green = load(argv[3], "green_work");
    const int is_same = *(void **)&work == first;
    if (!is_same)
        puts("at other addresses");
    sem_post(&wanted);
    pthread_join(runner, NULL);
    puts("as wanted");
    return !is_same;
}
