/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a target knows about itself: counters by name in a file that it maps, $TRUTH, so that
 * they are there however the process ends and are shared by all processes of a tree.
 * Included by the targets of the shapes; read by tests/e2e/shapes/checks.py.  Never
 * instrumented, and async-signal-safe but for truth_open.
 *
 * Names: "step" counts calls of step(); "thread:NAME/step" those in the thread of that name;
 * "value:X" is a figure for the test to use.
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TRUTH_COUNTERS 1024
#define TRUTH_UNINSTRUMENTED __attribute__((no_instrument_function, unused))

struct truth
{
    uint32_t state; /* 0 free, 1 being named, 2 ready */
    char name[44];
    uint64_t calling; /* counted before the call; 0 throughout: not in use */
    uint64_t entered; /* counted in the function */
};

TRUTH_UNINSTRUMENTED static struct truth *truth_map(void)
{
    static struct truth *all;
    const char *path = getenv("TRUTH");
    const size_t bytes = TRUTH_COUNTERS * sizeof *all;
    if (all != NULL)
        return all;
    int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0)
        abort();
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, fd, 0);
    if (map == MAP_FAILED)
        abort();
    if (fd >= 0)
        close(fd);
    all = (struct truth *)map;
    return all;
}

/* The counter of that name, made where there is none. */
TRUTH_UNINSTRUMENTED static struct truth *truth_open(const char *name)
{
    struct truth *all = truth_map();
    for (int i = 0; i < TRUTH_COUNTERS; i++)
    {
        uint32_t free = 0;
        if (__atomic_compare_exchange_n(&all[i].state, &free, 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        {
            strncpy(all[i].name, name, sizeof all[i].name - 1);
            __atomic_store_n(&all[i].state, 2, __ATOMIC_RELEASE);
            return &all[i];
        }
        while (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) != 2)
            continue;
        if (strncmp(all[i].name, name, sizeof all[i].name - 1) == 0)
            return &all[i];
    }
    abort();
}

/* Macros: a call of an inline function would be optimised differently from run to run. */
#define TRUTH_CALLING(truth) __atomic_fetch_add(&(truth)->calling, 1, __ATOMIC_SEQ_CST)
#define TRUTH_ENTERED(truth) __atomic_fetch_add(&(truth)->entered, 1, __ATOMIC_SEQ_CST)
