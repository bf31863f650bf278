/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: two threads, one after the other, that do the same work.
 */
#include <pthread.h>
#include <stdlib.h>

static void leaf(void)
{
}

static void *worker(void *times)
{
    for (int i = 0; i < *(int *)times; i++)
        leaf();
    return NULL;
}

int main(void)
{
    int times[2] = {2, 3};
    for (int i = 0; i < 2; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, &times[i]) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    return 0;
}
