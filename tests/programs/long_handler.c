/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: a signal handler makes 200,000 records at a time, and interrupts a loop that does nothing
 * but call: now and then it comes within a hook.  Usage: long_handler SIGNALS.  Prints how often
 * each function was called.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile long leaves;
static volatile long handler_leaves;
static volatile long signals;

static void leaf(void)
{
    leaves++;
}

static void handler_leaf(void)
{
    handler_leaves++;
}

/* The next signal: once, so that main gets on however long the handler takes. */
static void set_timer(void)
{
    const struct itimerval timer = {.it_value = {0, 1000}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static void handle(int number)
{
    (void)number;
    signals++;
    for (int i = 0; i < 100000; i++)
        handler_leaf();
    set_timer();
}

int main(int argc, char **argv)
{
    long wanted = argc > 1 ? atol(argv[1]) : 60;
    struct sigaction action = {.sa_handler = handle};
    const struct itimerval none = {0};
    sigaction(SIGVTALRM, &action, NULL);
    set_timer();
    while (signals < wanted)
        leaf();
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    printf("leaf %ld handler_leaf %ld handle %ld\n", leaves, handler_leaves, signals);
    return 0;
}
