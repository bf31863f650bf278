/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: threads of every kind.  Usage: threads_many WAY COUNT, where the ways are those of
 * the table at the end of this file.  Each thread works a known number of times.
 */
#include "truth.h"

#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

#define STEPS 100

static pthread_barrier_t barrier;
static sem_t ready;
static sem_t never;
static struct truth *step_truth;

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void work(uintptr_t times)
{
    for (uintptr_t i = 0; i < times; i++)
        step();
}

static pthread_t create(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        abort();
    return thread;
}

/* ---- All at once, each with a name ------------------------------------------------ */

static void *named(void *number)
{
    char name[32];
    char counter[64];
    snprintf(name, sizeof name, "worker-%lu", (unsigned long)(uintptr_t)number);
    snprintf(counter, sizeof counter, "thread:%s/step", name);
    struct truth *own = truth_open(counter);
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&barrier);
    work(STEPS + (uintptr_t)number);
    pthread_barrier_wait(&barrier);
    own->entered = STEPS + (uintptr_t)number;
    return NULL;
}

static void at_once(int count)
{
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (threads == NULL || pthread_barrier_init(&barrier, NULL, (unsigned)count) != 0)
        abort();
    for (int i = 0; i < count; i++)
        threads[i] = create(named, (void *)(uintptr_t)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* ---- One after the other: nothing may pile up --------------------------------------- */

static int count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    int lines = 0;
    for (int c; file != NULL && (c = getc(file)) != EOF;)
        lines += c == '\n';
    if (file != NULL)
        fclose(file);
    return lines;
}

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;
    while (directory != NULL && readdir(directory) != NULL)
        count++;
    if (directory != NULL)
        closedir(directory);
    return count;
}

static void *brief(void *unused)
{
    work(3);
    return unused;
}

static void in_turn(int count)
{
    int maps = 0;
    int descriptors = 0;
    for (int i = 0; i < count; i++)
    {
        if (i == count / 10)
        {
            maps = count_lines("/proc/self/maps");
            descriptors = count_descriptors();
        }
        pthread_join(create(brief, NULL), NULL);
    }
    printf("descriptors: %d more\n", count_descriptors() - descriptors);
    printf("mappings: %s\n", count_lines("/proc/self/maps") > maps + 4 ? "pile up" : "stay");
}

/* ---- Threads that nobody waits for ---------------------------------------------------- */

/* Such a thread does it itself: glibc's pthread_detach (2.36) reads what may be gone when another
 * thread's ends meanwhile. */
static void *posting(void *unused)
{
    pthread_detach(pthread_self());
    work(3);
    sem_post(&ready);
    return unused;
}

static void detached(int count)
{
    for (int i = 0; i < count; i++)
    {
        create(posting, NULL);
        sem_wait(&ready);
    }
}

static void *lasting(void *unused)
{
    work(STEPS);
    sem_post(&ready);
    while (sem_wait(&never) != 0)
        continue;
    return unused;
}

static void alive(int count)
{
    for (int i = 0; i < count; i++)
        create(lasting, NULL);
    for (int i = 0; i < count; i++)
        sem_wait(&ready);
}

static void killed(int count)
{
    alive(count);
    kill(getpid(), SIGKILL);
}

/* ---- Threads that end in the middle of frames -------------------------------------------- */

static void descend(int depth, void (*bottom)(void))
{
    step();
    if (depth > 0)
        descend(depth - 1, bottom);
    else
        bottom();
}

static void leave(void)
{
    pthread_exit(NULL);
}

static void *leaving(void *depth)
{
    descend((int)(uintptr_t)depth, leave);
    return NULL;
}

static void exiting_early(int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(create(leaving, (void *)(uintptr_t)(i % 20)), NULL);
}

static void clean_up(void *unused)
{
    (void)unused;
    step();
}

static void hang(void)
{
    sem_post(&ready);
    pthread_cleanup_push(clean_up, NULL);
    for (;;)
        sem_wait(&never);
    pthread_cleanup_pop(0);
}

static void *hanging(void *depth)
{
    descend((int)(uintptr_t)depth, hang);
    return NULL;
}

static void cancelled(int count)
{
    for (int i = 0; i < count; i++)
    {
        pthread_t thread = create(hanging, (void *)(uintptr_t)(i % 20));
        sem_wait(&ready);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

static void spin(void)
{
    sem_post(&ready);
    for (;;)
    {
        TRUTH_CALLING(step_truth);
        step();
    }
}

/* At any instruction, also in the hooks. */
static void *spinning(void *depth)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    spin();
    return depth;
}

static void cancelled_anywhere(int count)
{
    for (int i = 0; i < count; i++)
    {
        pthread_t thread = create(spinning, NULL);
        sem_wait(&ready);
        usleep((useconds_t)(i * 37 % 500));
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

/* ---- Threads that end when the process does, one after the other -------------------------------
 */

static void *ending_too(void *number)
{
    pthread_detach(pthread_self());
    work(STEPS);
    sem_post(&ready);
    for (volatile uintptr_t i = 0; i < (uintptr_t)number * 1000; i++)
        continue;
    return NULL;
}

static void end_too(int count)
{
    for (int i = 0; i < count; i++)
        create(ending_too, (void *)(uintptr_t)i);
    for (int i = 0; i < count; i++)
        sem_wait(&ready);
}

/* ---- The end of the process from a thread --------------------------------------------------- */

static void *ending(void *unused)
{
    work(STEPS);
    exit(3);
    return unused;
}

static void exit_from_thread(int count)
{
    alive(count);
    create(ending, NULL);
    for (;;)
        sem_wait(&never);
}

static void main_exits_first(int count)
{
    for (int i = 0; i < count; i++)
        create(brief, NULL);
    pthread_exit(NULL);
}

static const struct
{
    const char *name;
    void (*run)(int count);
} ways[] = {
    {"at-once", at_once},
    {"in-turn", in_turn},
    {"detached", detached},
    {"alive", alive},
    {"killed", killed},
    {"exit", exiting_early},
    {"cancel", cancelled},
    {"cancel-anywhere", cancelled_anywhere},
    {"end-too", end_too},
    {"exit-from-thread", exit_from_thread},
    {"main-first", main_exits_first},
};

int main(int argc, char **argv)
{
    step_truth = truth_open("step");
    if (argc < 3 || sem_init(&ready, 0, 0) != 0 || sem_init(&never, 0, 0) != 0)
        return 2;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
        {
            ways[i].run(atoi(argv[2]));
            return 0;
        }
    return 2;
}
