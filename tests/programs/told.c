/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a program can tell by include/fc.h.  Compiled as C and as C++. */
#include <fc.h>
#include <pthread.h>
#include <stdio.h>

static volatile int sum;

static void leaf(int i)
{
    sum += i;
}

static void regions(int n)
{
    fc_region_begin("outer part");
    for (int i = 0; i < n; i++)
    {
#ifdef __cplusplus
        fc::region here("inner part");
        leaf(i);
        if (i % 2)
            continue;
        leaf(i);
#else
        fc_region_begin("inner part");
        leaf(i);
        if (i % 2 == 0)
            leaf(i);
        fc_region_end("inner part");
#endif
    }
    fc_region_end("outer part");
}

static void *thread(void *unused)
{
    fc_thread_label("the other one");
    leaf(1);
    return unused;
}

int main(void)
{
    pthread_t other;
    regions(6);
    fc_snapshot("after 6/half");
    regions(4);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    fc_snapshot("end");
    printf("%d\n", sum);
    return 0;
}
