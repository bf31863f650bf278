/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: the library of own_mappings.c.  It keeps account of the mappings, and goes on to the next
 * definitions.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#define MREMAP_FIXED 2

int mapped, mapped64, remapped, unmapped;

typedef void *Map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
typedef void *Remap(void *old, size_t old_bytes, size_t bytes, int flags, ...);
typedef int Unmap(void *at, size_t bytes);
Map mmap, mmap64;
Remap mremap;
Unmap munmap;

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    mapped++;
    return ((Map *)dlsym(RTLD_NEXT, "mmap"))(at, bytes, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    mapped64++;
    return ((Map *)dlsym(RTLD_NEXT, "mmap64"))(at, bytes, protection, flags, fd, offset);
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
    va_end(list);
    remapped++;
    return ((Remap *)dlsym(RTLD_NEXT, "mremap"))(old, old_bytes, bytes, flags, wanted);
}

int munmap(void *at, size_t bytes)
{
    unmapped++;
    return ((Unmap *)dlsym(RTLD_NEXT, "munmap"))(at, bytes);
}
