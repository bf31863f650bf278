/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that wait, mostly, by the first argument: "lock", for one mutex, whose owner sleeps;
 * "condition", in turns for one another; "pool", for work, of which there is little; "poll", each
 * for its own pipe; "sleep"; "child", main for a process.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS 60

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static int is_over;
static int pipes[THREADS][2];

/* In the function that calls it. */
__attribute__((no_instrument_function)) static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* A third of a thread's time, or less, if there are others. */
static void holds_lock(void)
{
    pthread_mutex_lock(&mutex);
    sleep_ms(3);
    pthread_mutex_unlock(&mutex);
}

static void takes_turns(int number)
{
    pthread_mutex_lock(&mutex);
    while (turn % THREADS != number)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    for (volatile int i = 0; i < 1000000; i++)
        continue;
    pthread_mutex_lock(&mutex);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void waits_for_work(void)
{
    pthread_mutex_lock(&mutex);
    while (!is_over)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void polls(int number)
{
    struct pollfd one = {pipes[number][0], POLLIN, 0};
    char byte;
    do
        poll(&one, 1, -1);
    while (read(one.fd, &byte, 1) == 1 && byte != 'q');
}

static void sleeps(void)
{
    sleep_ms(10);
}

static const char *how;

static void *work(void *argument)
{
    const int number = (int)(long)argument;
    if (strcmp(how, "pool") == 0)
        waits_for_work();
    else if (strcmp(how, "poll") == 0)
        polls(number);
    for (int i = 0; i < ROUNDS; i++)
        if (strcmp(how, "lock") == 0)
            holds_lock();
        else if (strcmp(how, "condition") == 0)
            takes_turns(number);
        else if (strcmp(how, "sleep") == 0)
            sleeps();
    return NULL;
}

static void waits_for_child(void)
{
    const pid_t child = fork();
    if (child == 0)
    {
        sleep_ms(500);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void end_threads(void)
{
    pthread_mutex_lock(&mutex);
    is_over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < THREADS; i++)
        if (write(pipes[i][1], "q", 1) != 1)
            abort();
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    how = count > 1 ? arguments[1] : "";
    if (strcmp(how, "child") == 0)
    {
        waits_for_child();
        return 0;
    }
    for (int i = 0; i < THREADS; i++)
        if (pipe(pipes[i]) != 0)
            abort();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    if (strcmp(how, "pool") == 0 || strcmp(how, "poll") == 0)
        sleep_ms(500);
    end_threads();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
