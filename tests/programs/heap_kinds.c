/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: each function of the allocator, in a function of its own, and what is special about
 * each: sizes of 0, failures, NULL.  Prints, for each of its functions that leave blocks
 * allocated or freed: FUNCTION ALLOCATIONS BYTES FREES.  Checks on the way that all behave
 * as libc's do and leave errno alone.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int failures;

static void check(int good, const char *what)
{
    if (good)
        return;
    failures++;
    fprintf(stderr, "wrong: %s\n", what);
}

static void by_malloc(void)
{
    void *block = malloc(100);
    check(block != NULL && malloc_usable_size(block) >= 100, "malloc");
    free(block);
}

static void by_calloc(void)
{
    char *block = calloc(10, 7);
    for (int i = 0; i < 70; i++)
        check(block[i] == 0, "calloc's zeros");
    free(block);
}

static void by_realloc(void)
{
    char *block = realloc(NULL, 30);
    strcpy(block, "kept");
    block = realloc(block, 3000);
    check(strcmp(block, "kept") == 0, "realloc's copy");
    free(block);
}

static void by_reallocarray(void)
{
    char *block = reallocarray(NULL, 6, 5);
    block = reallocarray(block, 60, 5);
    errno = 0;
    check(reallocarray(block, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM, "reallocarray's error");
    free(block);
}

static void by_memalign(void)
{
    void *block = memalign(256, 40);
    check((uintptr_t)block % 256 == 0, "memalign");
    free(block);
}

static void by_posix_memalign(void)
{
    void *block = NULL;
    check(posix_memalign(&block, 512, 41) == 0 && (uintptr_t)block % 512 == 0, "posix_memalign");
    free(block);
    check(posix_memalign(&block, 3, 41) == EINVAL, "posix_memalign's error");
}

static void by_aligned_alloc(void)
{
    void *block = aligned_alloc(64, 128);
    check((uintptr_t)block % 64 == 0, "aligned_alloc");
    free(block);
}

static void by_valloc(void)
{
    void *block = valloc(50);
    check((uintptr_t)block % (uintptr_t)getpagesize() == 0, "valloc");
    free(block);
}

static void by_pvalloc(void)
{
    void *block = pvalloc(51);
    check((uintptr_t)block % (uintptr_t)getpagesize() == 0, "pvalloc");
    free(block);
}

static void by_strdup(void)
{
    char *copy = strdup("seventeen letters");
    check(strlen(copy) == 17, "strdup");
    free(copy);
}

static void with_nothing(void)
{
    void *one = malloc(0);
    void *other = malloc(0);
    check(one != NULL && other != NULL && one != other, "malloc(0)");
    free(NULL);
    check(realloc(one, 0) == NULL, "realloc(p, 0)");
    free(other);
}

static void with_failures(void)
{
    char *block = malloc(60);
    void *volatile none;
    strcpy(block, "still here");
    errno = 0;
    none = malloc(SIZE_MAX / 2);
    check(none == NULL && errno == ENOMEM, "malloc's error");
    errno = 0;
    none = calloc(SIZE_MAX / 2, 4);
    check(none == NULL && errno == ENOMEM, "calloc's error");
    errno = 0;
    none = realloc(block, SIZE_MAX / 2);
    check(none == NULL && errno == ENOMEM, "realloc's error");
    check(strcmp(block, "still here") == 0, "a failed realloc changes nothing");
    errno = 77;
    free(block);
    check(errno == 77, "free leaves errno alone");
    errno = 78;
    free(malloc(10));
    check(errno == 78, "malloc leaves errno alone");
}

static void by_mmap(void)
{
    size_t page = (size_t)getpagesize();
    char *area = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    area[page] = 'x';
    char *larger = mremap(area, 4 * page, 64 * page, MREMAP_MAYMOVE);
    check(larger != MAP_FAILED && larger[page] == 'x', "mremap");
    check(munmap(larger, 64 * page) == 0, "munmap");
    errno = 0;
    check(munmap((void *)1, page) == -1 && errno == EINVAL, "munmap's error");
    errno = 0;
    check(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
              errno == EINVAL,
          "mmap's error");
}

static void left_behind(void)
{
    static void *volatile kept[3];
    kept[0] = malloc(1000);
    kept[1] = realloc(malloc(2000), 2500);
    kept[2] = memalign(64, 3000);
}

int main(void)
{
    by_malloc();
    by_calloc();
    by_realloc();
    by_reallocarray();
    by_memalign();
    by_posix_memalign();
    by_aligned_alloc();
    by_valloc();
    by_pvalloc();
    by_strdup();
    with_nothing();
    with_failures();
    by_mmap();
    left_behind();
    /* a block of its own for stdout would be one more */
    const char *text = "by_malloc 1 100 1\n"
                       "by_calloc 1 70 1\n"
                       "by_realloc 2 3030 2\n"
                       "by_reallocarray 2 330 2\n"
                       "by_memalign 1 40 1\n"
                       "by_posix_memalign 1 41 1\n"
                       "by_aligned_alloc 1 128 1\n"
                       "by_valloc 1 50 1\n"
                       "by_pvalloc 1 51 1\n"
                       "by_strdup 1 18 1\n"
                       "with_nothing 2 0 2\n"
                       "with_failures 2 70 2\n"
                       "left_behind 4 8500 1\n";
    check(write(1, text, strlen(text)) > 0, "write");
    return failures != 0;
}
