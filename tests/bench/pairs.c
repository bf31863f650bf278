/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work of heap.py: allocates and frees again and again, 64 blocks live.  Usage: pairs COUNT
 */
#include <stdlib.h>

#define LIVE 64

__attribute__((noinline)) static void *take(size_t bytes)
{
    return malloc(bytes);
}

__attribute__((noinline)) static void give(void *block)
{
    free(block);
}

int main(int argc, char **argv)
{
    static void *volatile blocks[LIVE];
    long count = argc > 1 ? atol(argv[1]) : 2000000;
    for (long i = 0; i < count; i++)
    {
        give(blocks[i % LIVE]);
        blocks[i % LIVE] = take((size_t)(16 + i % 100));
    }
    for (int i = 0; i < LIVE; i++)
        give(blocks[i]);
    return 0;
}
