/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for mmap, munmap and mremap: see mappings.h.
 */
#include "libfc/memory/mappings.h"

#include "libfc/base/libc.h"
#include "libfc/base/state.h"
#include "libfc/base/sys.h"
#include "libfc/memory/alloc.h"
#include "libfc/memory/unwind.h"

#include <dlfcn.h>
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

/* ---- The next definitions --------------------------------------------------------- */

typedef void *MmapFunction(void *, size_t, int, int, int, off_t);
typedef int MunmapFunction(void *, size_t);
/* libc declares an ellipsis for the last parameter. */
typedef void *MremapFunction(void *, size_t, size_t, int, void *);

/* The allocator may call mmap while the real functions are looked up, and other code may do so
 * even before that.  Then the functions below make the system calls themselves.  This one sets
 * errno as libc does. */
static long set_errno(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    fc_errno = (int)-result;
    return -1;
}

static void *map(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return (void *)set_errno(fc_sys(SYS_mmap, where, bytes, protection, flags, fd, offset));
}

static int unmap(void *address, size_t bytes)
{
    return (int)set_errno(fc_sys(SYS_munmap, address, bytes));
}

static void *remap(void *old, size_t old_bytes, size_t bytes, int flags, void *wanted)
{
    return (void *)set_errno(fc_sys(SYS_mremap, old, old_bytes, bytes, flags, wanted));
}

/* Atomic, relaxed: all threads find the same functions. */
static MmapFunction *real_mmap;
static MmapFunction *real_mmap64; /* a library may define only one of the two */
static MunmapFunction *real_munmap;
static MremapFunction *real_mremap;

static __thread bool is_finding __attribute__((tls_model("initial-exec")));

static void find(const char *name, void *instead, void *into)
{
    void *found = fc_libc()->dlsym(RTLD_NEXT, name);
    __atomic_store_n((void **)into, found ? found : instead, __ATOMIC_RELAXED);
}

/* At start, since dlsym waits while another thread is in a library's constructor. */
__attribute__((constructor)) static void find_real(void)
{
    is_finding = true;
    find("mmap", (void *)map, &real_mmap);
    find("mmap64", (void *)map, &real_mmap64);
    find("mremap", (void *)remap, &real_mremap);
    find("munmap", (void *)unmap, &real_munmap);
    is_finding = false;
}

#define REAL(real, instead)                                                                        \
    ({                                                                                             \
        if (fc_unlikely(!__atomic_load_n(&(real), __ATOMIC_RELAXED)) && !is_finding)               \
            find_real();                                                                           \
        __typeof(real) now = __atomic_load_n(&(real), __ATOMIC_RELAXED);                           \
        now ? now : (instead);                                                                     \
    })

/* ---- What the program calls --------------------------------------------------------- */

/* Named otherwise in C, so that the header's declarations and -D_FILE_OFFSET_BITS do not
 * interfere. */
FC_EXPORT MmapFunction own_mmap __asm__("mmap");
FC_EXPORT MmapFunction own_mmap64 __asm__("mmap64");
FC_EXPORT MunmapFunction own_munmap __asm__("munmap");
FC_EXPORT MremapFunction own_mremap __asm__("mremap");

static void record_mapped(const void *address, size_t bytes, const void *caller, const void *stack)
{
    if (address != MAP_FAILED)
        fc_alloc_record(FC_RECORD_MAPPED, FC_CALL_MMAP, address, bytes, caller, stack);
}

FC_JUMPING void *own_mmap(void *where, size_t bytes, int protection, int flags, int fd,
                          off_t offset)
{
    MmapFunction *next = REAL(real_mmap, map);
    if (!is_mapping_recorded(__builtin_return_address(0)))
        FC_JUMP next(where, bytes, protection, flags, fd, offset);
    void *address = next(where, bytes, protection, flags, fd, offset);
    record_mapped(address, bytes, HERE);
    return address;
}

FC_JUMPING void *own_mmap64(void *where, size_t bytes, int protection, int flags, int fd,
                            off_t offset)
{
    MmapFunction *next = REAL(real_mmap64, map);
    if (!is_mapping_recorded(__builtin_return_address(0)))
        FC_JUMP next(where, bytes, protection, flags, fd, offset);
    void *address = next(where, bytes, protection, flags, fd, offset);
    record_mapped(address, bytes, HERE);
    return address;
}

FC_JUMPING int own_munmap(void *address, size_t bytes)
{
    MunmapFunction *next = REAL(real_munmap, unmap);
    if (!is_mapping_recorded(__builtin_return_address(0)))
        FC_JUMP next(address, bytes);
    int result = next(address, bytes);
    if (result == 0)
        fc_alloc_record(FC_RECORD_UNMAP, FC_CALL_MUNMAP, address, bytes, HERE);
    return result;
}

FC_JUMPING void *own_mremap(void *old, size_t old_bytes, size_t bytes, int flags, void *wanted)
{
    MremapFunction *next = REAL(real_mremap, remap);
    if (!is_mapping_recorded(__builtin_return_address(0)))
        FC_JUMP next(old, old_bytes, bytes, flags, wanted);
    void *address = next(old, old_bytes, bytes, flags, wanted);
    if (address == MAP_FAILED)
        return address;
    if (old_bytes != 0) /* an old length of 0 makes a second mapping */
        fc_alloc_record(FC_RECORD_UNMAP, FC_CALL_MUNMAP, old, old_bytes, HERE);
    record_mapped(address, bytes, HERE);
    return address;
}
