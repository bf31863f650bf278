/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * server FILE THREADS: threads that handle requests, and count them in FILE, which is mapped, one
 * 8-byte number for each thread.  Commands come as letters on standard input, and are answered by a
 * line when they are done: l load without end, i no load, o one request by each thread, d nobody
 * may look at the process, f a child that handles 7 requests and waits; at the end of input it
 * ends. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define THREADS_MAX 64

static uint64_t *served;
static int count;
static int is_loaded, to_do, is_over; /* atomic */
static int idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static double cheap(int i)
{
    return 1.0 / (i + 1);
}

static double parse(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += cheap(i);
    return sum;
}

/* Its entry was recorded before it is counted. */
static void handle(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    parse(20);
}

static void *worker(void *data)
{
    uint64_t *counter = data;
    int done = 0;
    for (;;)
    {
        pthread_mutex_lock(&lock);
        idle++;
        pthread_cond_broadcast(&changed);
        while (!is_loaded && !is_over && done == to_do)
            pthread_cond_wait(&changed, &lock);
        idle--;
        pthread_mutex_unlock(&lock);
        if (is_over)
            return NULL;
        if (done != to_do)
        {
            done++;
            handle(counter);
        }
        while (__atomic_load_n(&is_loaded, __ATOMIC_RELAXED))
            handle(counter);
    }
}

static void wait_for_idle(void)
{
    pthread_mutex_lock(&lock);
    while (idle != count)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static uint64_t sum_served(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += __atomic_load_n(&served[i], __ATOMIC_SEQ_CST);
    return sum;
}

static void set(int *what, int value)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(what, value, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void fork_one(void)
{
    int started[2], end[2];
    char byte;
    if (pipe(started) < 0 || pipe(end) < 0)
        abort();
    const pid_t child = fork();
    if (child == 0)
    {
        close(end[1]);
        uint64_t own = 0;
        for (int i = 0; i < 7; i++)
            handle(&own);
        if (write(started[1], "", 1) != 1 || read(end[0], &byte, 1) != 0)
            abort();
        exit(0); /* as its parent has ended */
    }
    if (read(started[0], &byte, 1) != 1)
        abort();
    printf("%d ", (int)child);
}

static void command(int letter)
{
    if (letter == 'l')
        set(&is_loaded, 1);
    else if (letter == 'i')
    {
        set(&is_loaded, 0);
        wait_for_idle();
    }
    else if (letter == 'o')
    {
        const uint64_t before = sum_served();
        set(&to_do, to_do + 1);
        while (sum_served() != before + (uint64_t)count)
            usleep(1000);
        wait_for_idle();
    }
    else if (letter == 'd')
        prctl(PR_SET_DUMPABLE, 0);
    else if (letter == 'f')
        fork_one();
    printf("%c\n", letter);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];
    int letter;
    count = atoi(argv[2]);
    const int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) < 0 || count < 1 || count > THREADS_MAX)
        return 2;
    served = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, worker, &served[i]);
    wait_for_idle();
    command('s');
    while ((letter = getchar()) != EOF)
        command(letter);
    set(&is_loaded, 0);
    set(&is_over, 1);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return argc == 3 ? 0 : 2;
}
