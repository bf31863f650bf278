/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: allocations by way of code that is not instrumented.  Where a comment says `line: N`
 * a block of N bytes is allocated by what the line calls, and stays.
 */
#include <stdlib.h>
#include <string.h>

extern void *lib_make(int depth);

static void *volatile kept[5];

static int compare(const void *a, const void *b)
{
    if (kept[0] == NULL)
        kept[0] = malloc(20); /* line: 20 */
    return *(const int *)a - *(const int *)b;
}

static void in_library(void)
{
    kept[1] = lib_make(3); /* line: 21 */
}

static void in_libc(void)
{
    kept[2] = strdup("twenty-one characters"); /* line: 22 */
}

static void directly(void)
{
    kept[3] = malloc(23); /* line: 23 */
}

__attribute__((no_instrument_function, noinline)) static void unseen(void)
{
    kept[4] = calloc(1, 24); /* line: 24 */
}

int main(void)
{
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], compare);
    in_library();
    in_libc();
    directly();
    unseen();
    return 0;
}
