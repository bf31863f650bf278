/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: the library of heap_around.c, which knows nothing of libfc.  Keeps one block, with
 * lines marked as in heap_realloc.c.
 */
#include <stdlib.h>
#include <string.h>

#define BLOCKS 5000

void early_free(void);

static void *blocks[BLOCKS];
static void *volatile grown;

__attribute__((constructor)) static void before_all(void)
{
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(18);
    for (int i = 0; i < BLOCKS; i += 3)
        blocks[i] = realloc(blocks[i], 1800);
    for (int i = 1; i < BLOCKS; i += 3)
    {
        free(blocks[i]);
        blocks[i] = calloc(2, 10);
    }
    grown = malloc(19); /* first: 19 */
    grown = realloc(grown, 20);
    grown = realloc(grown, 21); /* last: 19 */
}

void early_free(void)
{
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}
