/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: reallocs of every kind; the blocks are told by the size that they had at first.  Lines
 * that a profile must name have "first: SIZE" and "last: SIZE" in them; a block without a
 * "last" was not reallocated.  Usage: heap_realloc [fork]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept[16];
static volatile size_t too_many = SIZE_MAX / 2;

/* A buffer that grows as most do: all from one call. */
static void *grow(size_t first, size_t last, size_t step)
{
    void *block = NULL;
    for (size_t size = first; size <= last; size += step)
        block = realloc(block, size); /* first: 101 102 103 last: 102 103 */
    return block;
}

static void *same_place(void *block, size_t size)
{
    return realloc(block, size); /* last: 201 202 203 204 */
}

static void failing(void *block)
{
    if (realloc(block, too_many) != NULL)
        abort();
}

static void moved_or_not(void)
{
    void *in_place = malloc(201);         /* first: 201 */
    void *moving = malloc(202);           /* first: 202 */
    void *behind = malloc(206);           /* first: 206 */
    void *zeroed = calloc(1, 203);        /* first: 203 */
    kept[0] = same_place(in_place, 150);  /* shrinks, */
    kept[1] = same_place(moving, 300000); /* must move, */
    kept[2] = same_place(zeroed, 203);    /* stays as it is */
    kept[3] = behind;
    if (kept[0] != in_place || kept[1] == moving)
        abort();
}

static void several(void)
{
    void *block = malloc(204);    /* first: 204 */
    block = realloc(block, 1000); /* another place */
    block = same_place(block, 2000);
    failing(block);
    kept[4] = block;
    void *other = malloc(205);               /* first: 205 */
    other = same_place(other, 5000);         /* another place */
    kept[5] = reallocarray(other, 100, 100); /* last: 205 */
}

static void not_at_all(void)
{
    kept[6] = malloc(301); /* first: 301 */
    failing(kept[6]);
    void *block = malloc(10);
    block = realloc(block, 20);
    void *was = block;
    free(block);
    kept[7] = malloc(20); /* which is there again */
    if (kept[7] != was)
        abort();
    free(kept[7]);
    kept[7] = malloc(302); /* first: 302 */
    block = malloc(12);
    kept[8] = realloc(block, 0); /* frees */
}

int main(int argc, char **argv)
{
    kept[9] = grow(101, 101, 1);
    kept[10] = grow(102, 103, 1);
    kept[11] = grow(103, 20000, 997);
    moved_or_not();
    several();
    not_at_all();
    if (argc > 1 && strcmp(argv[1], "fork") == 0)
    {
        pid_t child = fork();
        if (child == 0)
        {
            kept[6] = realloc(kept[6], 400); /* last: 301 */
            return 0;
        }
        waitpid(child, NULL, 0);
        printf("%d\n", (int)child);
    }
    return 0;
}
