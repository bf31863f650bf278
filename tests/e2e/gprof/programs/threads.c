/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads that share functions and end in different ways.
 */
#include "burn.h"
#include <pthread.h>
#include <stdio.h>

static int shared_work(int n)
{
    burn(2);
    return n * 2;
}

static void *worker(void *data)
{
    long sum = 0;

    for (int i = 0; i < 300; i++)
        sum += shared_work(i);
    if (sum > 100)
        pthread_exit(data);
    return data;
}

static void *lazy(void *data)
{
    shared_work(1);
    return data;
}

int main(void)
{
    pthread_t threads[6];

    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, i % 2 ? worker : lazy, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", shared_work(3));
    return 0;
}
