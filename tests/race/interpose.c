/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In place of libfc/base/got.c, interpose.c, jumps.c, mpi.c and openmp.c: what libfc interposes is
 * left to ThreadSanitizer, which does so itself.  And the system calls of prelude.h.  For
 * tests/race only.
 */
#include "libfc/memory/interpose.h"
#include "libfc/base/got.h"
#include "libfc/hooks/jumps.h"
#include "libfc/process/mpi.h"
#include "libfc/process/openmp.h"
#include "tests/race/race.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    switch (number)
    {
    case SYS_read:
        return read((int)a, (void *)b, (size_t)c);
    case SYS_write:
        return write((int)a, (void *)b, (size_t)c);
    case SYS_pipe2:
        return pipe2((int *)a, (int)b);
    case SYS_mmap:
        return (long)mmap((void *)a, (size_t)b, (int)c, (int)d, (int)e, f);
    case SYS_munmap:
        return munmap((void *)a, (size_t)b);
    default:
        return syscall(number, a, b, c, d, e, f);
    }
}

long race_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    int saved_errno = errno;
    long result = call(number, a, b, c, d, e, f);
    if (result == -1)
        result = -errno;
    errno = saved_errno;
    return result;
}

bool fc_interpose_is_first(void)
{
    return true;
}

void fc_interpose_start(bool memory)
{
    (void)memory;
}

void fc_jumps_setup(void)
{
}

void fc_mpi_setup(void)
{
}

void fc_openmp_setup(void)
{
}

void fc_got_redirect(const struct dl_phdr_info *object, const struct FcInterposer *interposers)
{
    (void)object;
    (void)interposers;
}

/* In here these are modules.c's. */
void *race_dlopen(const char *library)
{
    return dlopen(library, RTLD_NOW);
}

void race_dlclose(void *handle)
{
    dlclose(handle);
}
