/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: instrumented handlers that interrupt instrumented code, and the hooks, at any
 * instruction: an interval timer and another thread's pthread_kill.
 * Usage: signal_storm MILLISECONDS THREADS
 */
#include "truth.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#define THREADS_MAX 8

static struct truth *step_truth;
static struct truth *on_timer_truth;
static struct truth *on_kill_truth;
static struct truth *in_handler_truth;
static volatile int stop;

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void in_handler(void)
{
    TRUTH_ENTERED(in_handler_truth);
}

static void on_timer(int signal)
{
    (void)signal;
    TRUTH_ENTERED(on_timer_truth);
    in_handler();
}

static void on_kill(int signal)
{
    (void)signal;
    TRUTH_ENTERED(on_kill_truth);
    in_handler();
    in_handler();
}

static void nest(int depth)
{
    step();
    if (depth > 0)
        nest(depth - 1);
}

static void *work(void *unused)
{
    while (!stop)
        nest(5);
    return unused;
}

struct shooting
{
    pthread_t targets[THREADS_MAX];
    int count;
};

__attribute__((no_instrument_function)) static void *shoot(void *argument)
{
    struct shooting *shooting = argument;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (int i = 0; !stop; i++)
    {
        pthread_kill(shooting->targets[i % shooting->count], SIGUSR1);
        if (i % 7 == 0)
            sched_yield();
    }
    return NULL;
}

static void set_timer(long microseconds)
{
    struct itimerval interval = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &interval, NULL);
}

int main(int argc, char **argv)
{
    struct shooting shooting = {.count = argc > 2 ? atoi(argv[2]) : 1};
    pthread_t shooter;
    if (argc < 3 || shooting.count < 1 || shooting.count > THREADS_MAX)
        return 2;
    step_truth = truth_open("step");
    on_timer_truth = truth_open("on_timer");
    on_kill_truth = truth_open("on_kill");
    in_handler_truth = truth_open("in_handler");
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = on_kill;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < shooting.count; i++)
        if (pthread_create(&shooting.targets[i], NULL, work, NULL) != 0)
            abort();
    if (pthread_create(&shooter, NULL, shoot, &shooting) != 0)
        abort();
    set_timer(20);
    struct timespec now;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    long milliseconds = atol(argv[1]);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000;
    do
    {
        nest(3);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
    set_timer(0);
    stop = 1;
    pthread_join(shooter, NULL);
    for (int i = 0; i < shooting.count; i++)
        pthread_join(shooting.targets[i], NULL);
    return 0;
}
