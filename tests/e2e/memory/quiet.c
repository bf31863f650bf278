/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library that is not profiled, and allocates: for itself before main, and for others.
 */
#include <stdlib.h>
#include <string.h>

void *quiet_block(size_t bytes);
void *quiet_deep(size_t bytes);
void *quiet_call(void *(*function)(size_t), size_t bytes);

static void *mine;

__attribute__((constructor)) static void begin(void)
{
    mine = malloc(333);
}

void *quiet_block(size_t bytes)
{
    return malloc(bytes);
}

__attribute__((noinline)) static void *inner(size_t bytes)
{
    return calloc(bytes, 3);
}

void *quiet_deep(size_t bytes)
{
    return inner(bytes);
}

void *quiet_call(void *(*function)(size_t), size_t bytes)
{
    return function(bytes);
}
