/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: the library of heap_unwind.c, which is never instrumented.
 */
#include <stdlib.h>

void *lib_make(int depth);
void *lib_make(int depth)
{
    char *block = depth > 0 ? lib_make(depth - 1) : malloc(21);
    if (block != NULL)
        block[depth] = 1; /* no tail call */
    return block;
}
