/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: writes the size of its address space and of what is resident, in KiB, into a file: in
 * main, after a million calls, and after 50 threads.  Usage: mappings FILE
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *out;
static volatile int sink;

static void step(void)
{
    sink++;
}

static void *work(void *unused)
{
    for (int i = 0; i < 20000; i++)
        step();
    return unused;
}

static void measure(void)
{
    long size = 0;
    long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2)
        abort();
    fclose(file);
    fprintf(out, "%ld %ld\n", size * 4, resident * 4);
}

int main(int argc, char **argv)
{
    out = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (out == NULL)
        return 2;
    measure();
    for (int i = 0; i < 50; i++)
        work(NULL);
    measure();
    for (int i = 0; i < 50; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    measure();
    return fclose(out) == 0 ? 0 : 1;
}
