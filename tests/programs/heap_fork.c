/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: forks while other threads allocate and free.  What they allocated before, each child
 * frees, though the parent's threads may do so right after the fork; each child leaves 3
 * blocks of its own, and FORKS blocks of the parent's.  Usage: heap_fork FORKS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED 50

static void *shared[SHARED];
static atomic_int round_of_fork; /* odd: the thread may free */
static atomic_int stop;

__attribute__((noinline)) static void *thread_takes(size_t bytes)
{
    return malloc(bytes);
}

/* Allocates in even rounds; frees as soon as the fork is done. */
static void *partner(void *unused)
{
    for (int round = 0; !atomic_load(&stop); round += 2)
    {
        for (int i = 0; i < SHARED; i++)
            shared[i] = thread_takes(40);
        atomic_fetch_add(&round_of_fork, 1);
        while (atomic_load(&round_of_fork) == round + 1 && !atomic_load(&stop))
            continue;
        for (int i = 0; i < SHARED; i++)
            free(shared[i]);
    }
    return unused;
}

static void *busy(void *unused)
{
    void *blocks[16] = {NULL};
    for (unsigned i = 0; !atomic_load(&stop); i++)
    {
        free(blocks[i % 16]);
        blocks[i % 16] = malloc(16 + i % 64);
    }
    for (int i = 0; i < 16; i++)
        free(blocks[i]);
    return unused;
}

__attribute__((noinline)) static void child(void)
{
    static void *volatile kept[3];
    for (int i = 0; i < SHARED; i++)
        free(shared[i]);
    for (int i = 0; i < 3; i++)
        kept[i] = malloc(60);
    for (int i = 0; i < 1000; i++)
        free(malloc(40));
    exit(0);
}

__attribute__((noinline)) static void parent_leaves(void)
{
    static void *volatile kept;
    kept = malloc(70);
}

int main(int argc, char **argv)
{
    int forks = argc > 1 ? atoi(argv[1]) : 5;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, i == 0 ? partner : busy, NULL) != 0)
            return 2;
    for (int i = 0; i < forks; i++)
    {
        int status;
        while (atomic_load(&round_of_fork) != 2 * i + 1)
            continue;
        parent_leaves();
        pid_t pid = fork();
        if (pid == 0)
            child();
        atomic_fetch_add(&round_of_fork, 1);
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            return 3;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
