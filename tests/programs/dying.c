/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: counts its calls of tick() in a file that it maps, and ends in the way it is
 * told.  Usage: dying FILE WAY [THREADS]; the way "wait" ticks on until it is killed.
 * FILE holds a counter of 8 bytes for each thread, the first thread first.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS_MAX 16

static volatile uint64_t *counters;

__attribute__((noinline)) static void tick(volatile uint64_t *counter)
{
    *counter += 1;
}

static void *tick_on(void *counter)
{
    for (;;)
        tick(counter);
    return NULL;
}

static void fault(void)
{
    *(volatile int *)8 = 1;
}

static void end(const char *way)
{
    if (strcmp(way, "sigkill") == 0)
        kill(getpid(), SIGKILL);
    else if (strcmp(way, "sigterm") == 0)
        kill(getpid(), SIGTERM);
    else if (strcmp(way, "abort") == 0)
        abort();
    else if (strcmp(way, "segv") == 0)
        fault();
    else if (strcmp(way, "_exit") == 0)
        _exit(7);
    else if (strcmp(way, "quick_exit") == 0)
        quick_exit(7);
    else if (strcmp(way, "exit") == 0)
        exit(7);
    else if (strcmp(way, "pthread_exit") == 0)
        pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int fd = open(argv[1], O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, THREADS_MAX * 8) != 0)
        return 2;
    counters = mmap(NULL, THREADS_MAX * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counters == MAP_FAILED)
        return 2;
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    for (int i = 1; i < threads && i < THREADS_MAX; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, tick_on, (void *)&counters[i]) != 0)
            abort();
    }
    if (strcmp(argv[2], "wait") == 0)
        tick_on((void *)&counters[0]);
    for (int i = 0; i < 12345; i++)
        tick(&counters[0]);
    end(argv[2]);
    return 7;
}
