/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: allocates, reallocates and frees until it is killed, at any instruction.  It counts
 * (truth.h) before each call and behind it, so that a test knows to the one what was live at
 * the moment of its death.  Usage: heap_kill THREADS
 */
#include "truth.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define BLOCKS 100

static struct truth *taken;
static struct truth *given;
static struct truth *resized;

__attribute__((noinline)) static void *take(size_t bytes)
{
    TRUTH_CALLING(taken);
    void *block = malloc(bytes);
    TRUTH_ENTERED(taken);
    return block;
}

__attribute__((noinline)) static void give(void *block)
{
    TRUTH_CALLING(given);
    free(block);
    TRUTH_ENTERED(given);
}

__attribute__((noinline)) static void *resize(void *block, size_t bytes)
{
    TRUTH_CALLING(resized);
    block = realloc(block, bytes);
    TRUTH_ENTERED(resized);
    return block;
}

static void *work(void *number)
{
    void *blocks[BLOCKS] = {NULL};
    unsigned random = (unsigned)(uintptr_t)number;
    for (;;)
    {
        random = random * 1664525u + 1013904223u;
        unsigned at = (random >> 16) % BLOCKS;
        if (blocks[at] == NULL)
            blocks[at] = take(48);
        else if (random >> 28 == 0)
            blocks[at] = resize(blocks[at], 48);
        else
        {
            give(blocks[at]);
            blocks[at] = NULL;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    taken = truth_open("taken");
    given = truth_open("given");
    resized = truth_open("resized");
    for (int i = 1; i < threads; i++)
    {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)i) != 0)
            return 2;
    }
    work((void *)0);
    return 0;
}
