/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: is linked with own_mappings_lib.c, which stands in for what maps, and prints how often
 * that was called, and what became of calls that fail.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define KIND (PROT_READ | PROT_WRITE), (MAP_PRIVATE | MAP_ANONYMOUS), -1, 0

extern int mapped, mapped64, remapped, unmapped;
extern void *plain_mmap(void *, size_t, int, int, int, off_t) __asm__("mmap");

static void use(void)
{
    char *one = plain_mmap(NULL, 8192, KIND);
    char *two = mmap64(NULL, 4096, KIND);
    one[1] = 1;
    one = mremap(one, 8192, 4096, MREMAP_MAYMOVE);
    two = mremap(two, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, one);
    two[1] = 2;
    munmap(two, 4096);
}

int main(void)
{
    for (int i = 0; i < 50; i++)
        use();
    printf("mapped %d and %d, again %d, unmapped %d\n", mapped, mapped64, remapped, unmapped);
    errno = 0;
    const int is_failed = mmap64(NULL, 0, KIND) == MAP_FAILED;
    printf("%d, %s\n", is_failed, strerror(errno));
    errno = 0;
    printf("%d, ", munmap((void *)1, 4096));
    puts(strerror(errno));
    return 0;
}
