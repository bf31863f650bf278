/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's stand-ins for mmap and its kin: see mappings.h.
 */
#include "libfc/mappings.h"

#include "libfc/alloc.h"
#include "libfc/libc.h"
#include "libfc/state.h"
#include "libfc/sys.h"
#include "libfc/unwind.h"

#include <stdarg.h>
#include <sys/mman.h>

#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

static bool is_recording;

void fc_mappings_start(bool memory)
{
    is_recording = memory;
}

static bool is_mapping_recorded(const void *caller)
{
    return is_recording && !fc_state_is_off() && !fc_unwind_is_own(caller);
}

/* What libc's function makes of a result of the kernel's. */
static long set_errno(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    fc_errno = (int)-result;
    return -1;
}

/* The system calls themselves: the loader maps before anything could be looked up. */
FC_EXPORT void *mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    void *address =
        (void *)set_errno(fc_sys(SYS_mmap, where, bytes, protection, flags, fd, offset));
    if (address != MAP_FAILED && is_mapping_recorded(__builtin_return_address(0)))
        fc_alloc_record(FC_RECORD_MAPPED, FC_CALL_MMAP, address, bytes, HERE);
    return address;
}
/* With 64-bit offsets the header calls it mmap64. */
FC_EXPORT extern void *plain_mmap(void *, size_t, int, int, int, off_t) __asm__("mmap")
    __attribute__((alias("mmap64"), nothrow, leaf));

FC_EXPORT int munmap(void *address, size_t bytes)
{
    int result = (int)set_errno(fc_sys(SYS_munmap, address, bytes));
    if (result == 0 && is_mapping_recorded(__builtin_return_address(0)))
        fc_alloc_record(FC_RECORD_UNMAP, FC_CALL_MUNMAP, address, bytes, HERE);
    return result;
}

FC_EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    void *wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(list, void *) : NULL;
    va_end(list);
    void *address = (void *)set_errno(fc_sys(SYS_mremap, old, old_bytes, bytes, flags, wanted));
    if (address == MAP_FAILED || !is_mapping_recorded(__builtin_return_address(0)))
        return address;
    if (old_bytes != 0) /* else a second mapping of the same memory */
        fc_alloc_record(FC_RECORD_UNMAP, FC_CALL_MUNMAP, old, old_bytes, HERE);
    fc_alloc_record(FC_RECORD_MAPPED, FC_CALL_MMAP, address, bytes, HERE);
    return address;
}
