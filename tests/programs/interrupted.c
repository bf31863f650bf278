/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: for interrupt.c, which has a signal come between any two instructions of a call.
 * Usage: interrupted ROUNDS [CALLS [FORKS [BEFORE]]]: makes 16 calls in each round, from a call
 * site each, to have many samples.  The handler makes up to CALLS calls, and forks up to FORKS
 * times in all; the child goes on with what was interrupted.  Says on standard error how a child
 * ended that should not have.  All but the handler are called BEFORE times first, so that they
 * prove short.
 */
#include "truth.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct truth *on_signal_truth;
static struct truth *in_handler_truth;
static struct truth *forks_truth;
static jmp_buf back;
static long calls = 1;
static long forks;
static volatile long sum;
static int is_child;

/* The parent's calls alone.  How often the others are called is known. */
#define ENTERED(truth) ((void)(is_child || TRUTH_ENTERED(truth)))

static void in_handler(void)
{
    ENTERED(in_handler_truth);
}

TRUTH_UNINSTRUMENTED static void fork_child(void)
{
    int status = 0;
    forks--;
    TRUTH_ENTERED(forks_truth);
    const pid_t child = fork();
    is_child = child == 0;
    if (is_child)
        signal(SIGTRAP, SIG_IGN); /* it may be in mark() */
    if (child > 0 && waitpid(child, &status, 0) == child && status != 0)
        dprintf(STDERR_FILENO, "a child ended with %x\n", (unsigned)status);
}

static void on_signal(int signal)
{
    static long signals;
    (void)signal;
    ENTERED(on_signal_truth);
    in_handler();
    for (long i = signals++ % calls; i > 0; i--)
        in_handler();
    if (forks > 0 && signals % 2 == 0)
        fork_child();
}

static void inner(void)
{
    sum++;
}

static void middle(void)
{
    inner();
}

static void step(void)
{
    middle();
}

static void leap(void)
{
    longjmp(back, 1);
}

/* What happens between two of these is interrupted once.  A child, which nobody traces, ends. */
TRUTH_UNINSTRUMENTED static void mark(void)
{
    if (is_child)
        exit(0);
    syscall(SYS_tgkill, getpid(), getpid(), SIGTRAP);
}

#define STEP() (mark(), step(), mark())
#define LEAP() (setjmp(back) == 0 ? (mark(), leap()) : mark())
#define EIGHT(call) call(), call(), call(), call(), call(), call(), call(), call()

TRUTH_UNINSTRUMENTED static void call_before(long count)
{
    for (volatile long i = 0; i < count; i++)
    {
        step();
        in_handler();
        if (setjmp(back) == 0)
            leap();
    }
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 1;
    calls = argc > 2 ? atol(argv[2]) : 1;
    forks = argc > 3 ? atol(argv[3]) : 0;
    const struct sigaction action = {.sa_handler = on_signal};
    on_signal_truth = truth_open("on_signal");
    in_handler_truth = truth_open("in_handler");
    forks_truth = truth_open("value:forks");
    call_before(argc > 4 ? atol(argv[4]) : 0);
    sigaction(SIGUSR1, &action, NULL);
    for (long i = 0; i < rounds; i++)
        EIGHT(STEP), EIGHT(LEAP);
    return 0;
}
