/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pauses of the profile by include/fc.h.  What the function `unseen` calls is in no profile: it is
 * only called while it is paused.  One call begins in a pause and returns after it, one the other
 * way round.  Compiled as C and as C++. */
#include <fc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif
#ifdef __cplusplus
extern "C"
{
#endif
    void leaf(int), seen(int), unseen(int), ends_unseen(void), begins_unseen(void);
#ifdef __cplusplus
}
#endif

static volatile int sum;
static void *volatile leaked;

ALONE void leaf(int i)
{
    sum += i;
}

ALONE void seen(int n)
{
    for (int i = 0; i < n; i++)
        leaf(1);
}

ALONE void unseen(int n)
{
    leaked = malloc(77);
    for (int i = 0; i < n; i++)
        leaf(1);
}

ALONE void ends_unseen(void)
{
    leaf(1);
    fc_pause();
    leaf(1);
}

ALONE void begins_unseen(void)
{
    leaf(1);
    fc_resume();
    leaf(1);
}

static void *thread(void *unused)
{
    seen(100);
    fc_pause();
    unseen(100);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t other;
    const int rounds = argc > 1 ? atoi(argv[1]) : 3;
    fc_resume();
    seen(10);
    for (int i = 0; i < rounds; i++)
    {
        ends_unseen();
        unseen(1000);
        begins_unseen();
        seen(10);
    }
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    unseen(20000);
    fc_resume();
    fc_resume();
    seen(20000);
    fc_pause();
    fc_pause();
    unseen(10);
    printf("%d\n", sum);
    return 0;
}
