/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: after a longjmp out of two functions with small frames, main calls one with a large
 * frame, so that the stack looks just as if the functions that were left had called it.
 */
#include <setjmp.h>
#include <string.h>

static jmp_buf place;

static void leaf(char *bytes)
{
    bytes[0]++;
}

static void handle(void)
{
    char large[4096];
    memset(large, 0, sizeof large);
    leaf(large);
}

static void inner(void)
{
    longjmp(place, 1);
}

static void outer(void)
{
    inner();
}

int main(void)
{
    if (setjmp(place) == 0)
        outer();
    else
        handle();
    return 0;
}
