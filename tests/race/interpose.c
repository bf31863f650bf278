/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In place of libfc/interpose.c, jumps.c and slots.c: what libfc stands in for is left to
 * ThreadSanitizer, which does so itself.  And the system calls of prelude.h.  For tests/race only.
 */
#include "libfc/interpose.h"
#include "libfc/jumps.h"
#include "libfc/slots.h"

#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#undef syscall

#define POINTER(i) ((void *)(uintptr_t)arguments[i])

long race_syscall(long number, ...)
{
    unsigned long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    switch (number)
    {
    case SYS_read:
        return read((int)arguments[0], POINTER(1), arguments[2]);
    case SYS_write:
        return write((int)arguments[0], POINTER(1), arguments[2]);
    case SYS_pipe2:
        return pipe2(POINTER(0), (int)arguments[1]);
    case SYS_mmap:
        return (long)mmap(POINTER(0), arguments[1], (int)arguments[2], (int)arguments[3],
                          (int)arguments[4], (off_t)arguments[5]);
    case SYS_munmap:
        return munmap(POINTER(0), arguments[1]);
    default:
        return syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                       arguments[5]);
    }
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

void fc_slots_redirect(const struct dl_phdr_info *object, const struct FcStandIn *stand_ins)
{
    (void)object;
    (void)stand_ins;
}
