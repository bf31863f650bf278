/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: for interrupt.c, which has a signal come between any two instructions of a call.
 * Usage: interrupted ROUNDS: makes 16 calls in each, from a call site each, to have many samples.
 */
#include "truth.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>

static struct truth *step_truth;
static struct truth *leap_truth;
static struct truth *on_signal_truth;
static struct truth *in_handler_truth;
static jmp_buf back;

static void in_handler(void)
{
    TRUTH_ENTERED(in_handler_truth);
}

static void on_signal(int signal)
{
    (void)signal;
    TRUTH_ENTERED(on_signal_truth);
    in_handler();
}

static void step(void)
{
    TRUTH_ENTERED(step_truth);
}

static void leap(void)
{
    TRUTH_ENTERED(leap_truth);
    longjmp(back, 1);
}

/* What happens between two of these is interrupted once. */
TRUTH_UNINSTRUMENTED static void mark(void)
{
    syscall(SYS_tgkill, getpid(), getpid(), SIGTRAP);
}

#define STEP() (mark(), step(), mark())
#define LEAP() (setjmp(back) == 0 ? (mark(), leap()) : mark())
#define EIGHT(call) call(), call(), call(), call(), call(), call(), call(), call()

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 1;
    const struct sigaction action = {.sa_handler = on_signal};
    step_truth = truth_open("step");
    leap_truth = truth_open("leap");
    on_signal_truth = truth_open("on_signal");
    in_handler_truth = truth_open("in_handler");
    sigaction(SIGUSR1, &action, NULL);
    for (long i = 0; i < rounds; i++)
        EIGHT(STEP), EIGHT(LEAP);
    return 0;
}
