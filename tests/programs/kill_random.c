/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: works until it is killed, at any instruction: before each call it counts that it
 * is about to call, and in each function that it was entered, so that a test knows the calls
 * whose hooks had finished to the one.  Usage: kill_random THREADS
 */
#include "truth.h"

#include <pthread.h>
#include <stdio.h>

#define FUNCTIONS 3
static const char *const names[FUNCTIONS] = {"leaf", "branch", "nest"};
static struct truth *counters[16][FUNCTIONS];

static __thread struct truth *leaf_truth;
static __thread struct truth *branch_truth;
static __thread struct truth *nest_truth;

static void leaf(void)
{
    TRUTH_ENTERED(leaf_truth);
}

static void branch(int leaves)
{
    TRUTH_ENTERED(branch_truth);
    for (int i = 0; i < leaves; i++)
    {
        TRUTH_CALLING(leaf_truth);
        leaf();
    }
}

static void nest(int depth)
{
    TRUTH_ENTERED(nest_truth);
    if (depth == 0)
        return;
    TRUTH_CALLING(nest_truth);
    nest(depth - 1);
}

static void *work(void *number)
{
    leaf_truth = counters[(uintptr_t)number][0];
    branch_truth = counters[(uintptr_t)number][1];
    nest_truth = counters[(uintptr_t)number][2];
    for (int i = 0;; i++)
    {
        TRUTH_CALLING(branch_truth);
        branch(i % 10);
        TRUTH_CALLING(nest_truth);
        nest(i % 3);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > 16)
        return 2;
    for (int i = 0; i < threads; i++)
        for (int which = 0; which < FUNCTIONS; which++)
        {
            char name[64];
            snprintf(name, sizeof name, "number:%d/%s", i + 1, names[which]);
            counters[i][which] = truth_open(name);
        }
    for (int i = 1; i < threads; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)i) != 0)
            return 2;
    }
    work((void *)0);
    return 0;
}
