/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: loads plug-ins (plugin.c) again and again.
 * Usage: plugin_host WAY COUNT FILE NAME [FILE NAME]...
 * "turns" loads, calls and unloads each in turn, so that one comes where another was;
 * "keep" leaves them loaded; "thread" does the turns in a thread; "namespace" gives each a
 * name space, and so a C library and a libfc, of its own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task
{
    int count;
    int keep;
    int apart;
    int plugins;
    char **words;
};

static void *last_address;
static int same_address;

static int call(void *library, const char *name, int times)
{
    char symbol[64];
    int (*work)(int);
    snprintf(symbol, sizeof symbol, "%s_work", name);
    *(void **)&work = dlsym(library, symbol);
    if (work == NULL)
        abort();
    same_address += *(void **)&work == last_address;
    last_address = *(void **)&work;
    return work(times);
}

static void *run(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->count; i++)
        for (int p = 0; p < task->plugins; p++)
        {
            void *library = task->apart ? dlmopen(LM_ID_NEWLM, task->words[2 * p], RTLD_NOW)
                                        : dlopen(task->words[2 * p], RTLD_NOW);
            if (library == NULL)
            {
                fprintf(stderr, "%s\n", dlerror());
                abort();
            }
            call(library, task->words[2 * p + 1], 10 + p);
            if (!task->keep && dlclose(library) != 0)
                abort();
        }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    struct task task = {.count = atoi(argv[2]),
                        .keep = strcmp(argv[1], "keep") == 0,
                        .apart = strcmp(argv[1], "namespace") == 0,
                        .plugins = (argc - 3) / 2,
                        .words = argv + 3};
    if (strcmp(argv[1], "thread") == 0)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, &task) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    else
        run(&task);
    printf("%s\n",
           task.keep || task.apart || same_address > 0 ? "as wanted" : "never at the same address");
    return 0;
}
