/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A heap whose figures are known beforehand; reports.py has them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *kept;

__attribute__((noinline)) static void *make(size_t bytes)
{
    return malloc(bytes);
}

/* Ten blocks of 64 bytes, each freed at once. */
static void brief(void)
{
    for (int i = 0; i < 10; i++)
        free(make(64));
}

/* The peak: 5 blocks of 4000 bytes, freed in the order in which they came. */
static void large(void)
{
    void *blocks[5];
    for (int i = 0; i < 5; i++)
        blocks[i] = make(4000);
    usleep(2000);
    for (int i = 0; i < 5; i++)
        free(blocks[i]);
}

/* Three blocks of 100 bytes and one of 700 are lost. */
static void lose(void)
{
    for (int i = 0; i < 3; i++)
        make(100);
    kept = calloc(7, 100);
    kept = NULL;
}

/* Of most sizes one, of 2 and 3 bytes two. */
static void spread(void)
{
    static const size_t special[] = {0, 3};
    for (int i = -2; i < 24; i++)
    {
        void *volatile one = malloc(i < 0 ? special[i + 2] : (size_t)1 << i);
        free(one);
    }
}

static void twice(void *block)
{
    free(block);
    free(block);
}

/* A pointer to which something was added where addresses have no bits, and one of nothing else: the
 * program dies of each. */
static void wild(const char *which)
{
    volatile uintptr_t added = (uintptr_t)0x34 << 48;
    if (strcmp(which, "wild-free") == 0)
        free((void *)((uintptr_t)make(50) | added));
    if (strcmp(which, "wild-realloc") == 0)
        kept = realloc((void *)((uintptr_t)make(50) | added), 1000);
    added = (uintptr_t)1 << 55; /* arm64 ignores those above */
    if (strcmp(which, "highest") == 0)
        free((void *)added);
}

int main(int argc, char **argv)
{
    brief();
    large();
    lose();
    if (argc > 1 && strcmp(argv[1], "twice") == 0)
        twice(make(24));
    if (argc > 1)
        wild(argv[1]);
    if (argc > 1 && strcmp(argv[1], "sizes") == 0)
        spread();
    if (argc > 1 && strcmp(argv[1], "grown") == 0)
    {
        kept = make(10);
        kept = realloc(kept, 200);
        kept = realloc(kept, 500); /* the last */
    }
    if (argc > 1 && strcmp(argv[1], "again") == 0)
    {
        void *block = make(2000);
        free(block);
        block = realloc(block, 3000);
    }
    return 0;
}
