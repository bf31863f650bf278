/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: every end that a process can come to, in the middle of frames and with another
 * thread alive.  Usage: ends WAY; the ways are in the table at the end of this file.
 */
#include "truth.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#define STEPS 5000
#define OVERFLOWS 5120

static struct truth *step_truth;
static sem_t ready;
static sem_t never;
static volatile int sink;

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void work(int times)
{
    for (int i = 0; i < times; i++)
        step();
}

static void *waiting(void *unused)
{
    pthread_setname_np(pthread_self(), "waiting");
    work(77);
    sem_post(&ready);
    while (sem_wait(&never) != 0)
        continue;
    return unused;
}

static void fault(void)
{
    *(volatile int *)8 = 1;
}

static void last_words(int signal)
{
    work(11);
    _exit(signal);
}

static void end_return(void)
{
}

static void end_exit(void)
{
    exit(7);
}

static void end__exit(void)
{
    _exit(7);
}

static void end_quick_exit(void)
{
    quick_exit(7);
}

static void end_abort(void)
{
    abort();
}

static void end_segv_handled(void)
{
    signal(SIGSEGV, last_words);
    fault();
}

static void end_sigterm(void)
{
    kill(getpid(), SIGTERM);
    pause();
}

static void end_sigkill(void)
{
    kill(getpid(), SIGKILL);
    pause();
}

static void overflow(volatile int *above)
{
    volatile int room[256];
    room[0] = *above + 1;
    TRUTH_ENTERED(step_truth); /* "overflow" here, see main */
    TRUTH_CALLING(step_truth);
    overflow(room);
    sink = room[0];
}

static void end_stack_overflow(void)
{
    struct rlimit limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_STACK, &limit);
    TRUTH_CALLING(step_truth);
    overflow(&sink);
}

static void on_overflow(int signal)
{
    (void)signal;
    _exit(9);
}

static void end_stack_overflow_handled(void)
{
    stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    end_stack_overflow();
}

static sigjmp_buf before;

static void leave_overflow(int signal)
{
    siglongjmp(before, signal);
}

static void overflow_from(size_t bytes)
{
    volatile char lower[bytes];
    lower[0] = 0;
    sink = lower[0];
    TRUTH_CALLING(step_truth);
    overflow(&sink);
}

/* At each place within a page, often, as what libfc does there differs. */
static void end_stack_overflows(void)
{
    stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
    struct sigaction action = {.sa_handler = leave_overflow, .sa_flags = SA_ONSTACK};
    struct rlimit limit = {1 << 18, 1 << 18};
    setrlimit(RLIMIT_STACK, &limit);
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (volatile size_t i = 0; i < OVERFLOWS; i++)
        if (sigsetjmp(before, 1) == 0)
            overflow_from(16 + i * 16 % 4096);
    exit(7);
}

/* malloc fails in the end; the program gives up as programs do. */
static void end_out_of_memory(void)
{
    struct rlimit limit = {200 << 20, 200 << 20};
    setrlimit(RLIMIT_AS, &limit);
    while (malloc(1 << 20) != NULL)
        step();
    work(10);
    abort();
}

/* Sleeps in sleepy() and is killed there. */
static void sleepy(void)
{
    struct timespec time = {0, 300000000};
    nanosleep(&time, NULL);
    kill(getpid(), SIGKILL);
    pause();
}

static void end_asleep(void)
{
    sleepy();
}

static void end_cpu_limit(void)
{
    struct rlimit limit = {1, 2};
    setrlimit(RLIMIT_CPU, &limit);
    for (;;)
        sink++;
}

static const struct
{
    const char *name;
    void (*run)(void);
} ways[] = {
    {"return", end_return},
    {"exit", end_exit},
    {"_exit", end__exit},
    {"quick_exit", end_quick_exit},
    {"abort", end_abort},
    {"segv", fault},
    {"segv-handled", end_segv_handled},
    {"sigterm", end_sigterm},
    {"sigkill", end_sigkill},
    {"stack-overflow", end_stack_overflow},
    {"stack-overflow-handled", end_stack_overflow_handled},
    {"stack-overflows", end_stack_overflows},
    {"out-of-memory", end_out_of_memory},
    {"asleep", end_asleep},
    {"cpu-limit", end_cpu_limit},
};

static void end(void (*way)(void))
{
    step();
    way();
}

int main(int argc, char **argv)
{
    pthread_t thread;
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (argc < 2 || sem_init(&ready, 0, 0) != 0 || sem_init(&never, 0, 0) != 0)
        return 2;
    step_truth = truth_open("step");
    if (pthread_create(&thread, NULL, waiting, NULL) != 0)
        return 2;
    sem_wait(&ready);
    work(STEPS);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
        {
            if (strncmp(argv[1], "stack-overflow", 14) == 0)
            {
                step();
                step_truth = truth_open("overflow");
                ways[i].run();
            }
            end(ways[i].run);
            return 7;
        }
    return 2;
}
