/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Thin adapters between the program's allocator and alloc.c, which makes the records.  Each
 * exported function jumps to the function that `table` has for it.  Before libfc has started, that
 * is one that remembers the block (early.h).  After that it is one that records if memory is
 * profiled, and otherwise the next library's function of that name.
 *
 * These functions must work before any constructor has run, inside dlsym, in signal handlers and
 * after exit has begun.
 */
#include "libfc/memory/interpose.h"

#include "libfc/base/config.h"
#include "libfc/base/libc.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/memory/alloc.h"
#include "libfc/memory/early.h"
#include "libfc/memory/interpose-cxx.h"
#include "libfc/memory/mappings.h"
#include "libfc/memory/unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct Allocator
{
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*reallocarray)(void *, size_t, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*usable_size)(void *);
};

static struct Allocator real;

#define HERE __builtin_return_address(0), __builtin_dwarf_cfa()

/* ---- While dlsym looks for the real ones ----------------------------------------- */

/* dlsym may allocate.  It gets memory from this arena, which is not reused after it is freed. */
static char arena[16384] __attribute__((aligned(16)));
static size_t arena_used;
static bool resolving;

static bool is_in_arena(const void *pointer)
{
    return (const char *)pointer >= arena && (const char *)pointer < arena + sizeof arena;
}

static void *arena_allocate(size_t bytes)
{
    size_t start = (arena_used + 15) & ~(size_t)15;
    if (bytes > sizeof arena - start)
        return NULL;
    arena_used = start + bytes;
    return arena + start;
}

static void resolve(void)
{
    resolving = true;
    *(void **)&real.malloc = fc_libc()->dlsym(RTLD_NEXT, "malloc");
    *(void **)&real.calloc = fc_libc()->dlsym(RTLD_NEXT, "calloc");
    *(void **)&real.realloc = fc_libc()->dlsym(RTLD_NEXT, "realloc");
    *(void **)&real.reallocarray = fc_libc()->dlsym(RTLD_NEXT, "reallocarray");
    *(void **)&real.memalign = fc_libc()->dlsym(RTLD_NEXT, "memalign");
    *(void **)&real.aligned_alloc = fc_libc()->dlsym(RTLD_NEXT, "aligned_alloc");
    *(void **)&real.posix_memalign = fc_libc()->dlsym(RTLD_NEXT, "posix_memalign");
    *(void **)&real.valloc = fc_libc()->dlsym(RTLD_NEXT, "valloc");
    *(void **)&real.pvalloc = fc_libc()->dlsym(RTLD_NEXT, "pvalloc");
    *(void **)&real.usable_size = fc_libc()->dlsym(RTLD_NEXT, "malloc_usable_size");
    *(void **)&real.free = fc_libc()->dlsym(RTLD_NEXT, "free");
    resolving = false;
}

/* ---- Before the start -------------------------------------------------------------- */

static bool is_recording(void);

static bool is_ready(void)
{
    if (!real.free && !resolving)
        resolve();
    return !resolving;
}

static void *remember(void *pointer, size_t bytes, enum FcMemoryCall call, const void *caller,
                      const void *stack)
{
    if (pointer && !fc_early_add(pointer, bytes, caller) && is_recording())
        fc_alloc_record(FC_RECORD_ALLOCATED, call, pointer, bytes, caller, stack);
    return pointer;
}

static void *early_malloc(size_t bytes)
{
    if (!is_ready())
        return arena_allocate(bytes);
    return remember(real.malloc(bytes), bytes, FC_CALL_MALLOC, HERE);
}

static void *early_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX;
    if (!is_ready())
        return arena_allocate(all); /* zeroed, since the arena is never reused */
    return remember(real.calloc(count, bytes), all, FC_CALL_CALLOC, HERE);
}

static void early_free(void *pointer)
{
    if (!pointer || is_in_arena(pointer) || !is_ready())
        return;
    if (!fc_early_remove(pointer) && is_recording())
        fc_alloc_record(FC_RECORD_FREE, FC_CALL_FREE, pointer, 0, HERE);
    real.free(pointer);
}

/* Reallocates by malloc, copy and free.  The real realloc would free the old block before it is
 * removed from the list, and another thread might get its address in between. */
static void *early_move(void *old, size_t bytes, const void *caller, const void *stack)
{
    if (old && bytes == 0 && !is_in_arena(old))
    {
        early_free(old);
        return NULL;
    }
    void *moved = is_ready() ? remember(real.malloc(bytes), bytes, FC_CALL_REALLOC, caller, stack)
                             : arena_allocate(bytes);
    if (!moved || !old)
        return moved;
    size_t room =
        is_in_arena(old) ? (size_t)(arena + sizeof arena - (char *)old) : real.usable_size(old);
    memcpy(moved, old, bytes < room ? bytes : room);
    fc_early_inherit(moved, old);
    early_free(old);
    return moved;
}

static void *early_realloc(void *old, size_t bytes)
{
    return early_move(old, bytes, HERE);
}

static void *early_reallocarray(void *old, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
        all = SIZE_MAX; /* malloc then fails and sets errno */
    return early_move(old, all, HERE);
}

static void *early_memalign(size_t alignment, size_t bytes)
{
    if (!is_ready())
        return NULL;
    return remember(real.memalign(alignment, bytes), bytes, FC_CALL_ALIGNED, HERE);
}

static int early_posix_memalign(void **result, size_t alignment, size_t bytes)
{
    if (!is_ready())
        return ENOMEM;
    int error = real.posix_memalign(result, alignment, bytes);
    if (error == 0)
        remember(*result, bytes, FC_CALL_ALIGNED, HERE);
    return error;
}

static void *early_valloc(size_t bytes)
{
    return is_ready() ? remember(real.valloc(bytes), bytes, FC_CALL_ALIGNED, HERE) : NULL;
}

static void *early_pvalloc(size_t bytes)
{
    return is_ready() ? remember(real.pvalloc(bytes), bytes, FC_CALL_ALIGNED, HERE) : NULL;
}

/* ---- With memory profiled ------------------------------------------------------------ */

static void *recorded_malloc(size_t bytes)
{
    void *pointer = real.malloc(bytes);
    if (pointer)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_MALLOC, pointer, bytes, HERE);
    return pointer;
}

static void *recorded_calloc(size_t count, size_t bytes)
{
    void *pointer = real.calloc(count, bytes);
    if (pointer)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_CALLOC, pointer, count * bytes, HERE);
    return pointer;
}

/* realloc(NULL, n) is an allocation, a failed realloc changes nothing, and realloc(p, 0) frees. */
static inline __attribute__((always_inline)) void *reallocate(void *old, size_t bytes,
                                                              const void *caller, const void *stack)
{
    if (is_in_arena(old))
    {
        void *moved = real.malloc(bytes);
        size_t room = (size_t)(arena + sizeof arena - (char *)old);
        if (moved)
        {
            memcpy(moved, old, bytes < room ? bytes : room);
            fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_REALLOC, moved, bytes, caller, stack);
        }
        return moved;
    }
    if (old)
        fc_alloc_record(FC_RECORD_REALLOC, FC_CALL_REALLOC, old, bytes, caller, stack);
    void *moved = real.realloc(old, bytes);
    if (!old && moved)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_REALLOC, moved, bytes, caller, stack);
    else if (old)
        fc_alloc_record(FC_RECORD_REALLOCATED, FC_CALL_REALLOC, moved, bytes, caller, stack);
    return moved;
}

static void *recorded_realloc(void *old, size_t bytes)
{
    return reallocate(old, bytes, HERE);
}

static void *recorded_reallocarray(void *old, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
    {
        fc_errno = ENOMEM;
        return NULL;
    }
    return reallocate(old, all, HERE);
}

static void recorded_free(void *pointer)
{
    if (!pointer || is_in_arena(pointer))
        return;
    fc_thread.last_freed = pointer; /* operator delete checks whether free was called */
    fc_alloc_record(FC_RECORD_FREE, FC_CALL_FREE, pointer, 0, HERE);
    real.free(pointer);
}

static void *recorded_memalign(size_t alignment, size_t bytes)
{
    void *pointer = real.memalign(alignment, bytes);
    if (pointer)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_ALIGNED, pointer, bytes, HERE);
    return pointer;
}

static void *recorded_aligned_alloc(size_t alignment, size_t bytes)
{
    void *pointer = real.aligned_alloc(alignment, bytes);
    if (pointer)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_ALIGNED, pointer, bytes, HERE);
    return pointer;
}

static int recorded_posix_memalign(void **result, size_t alignment, size_t bytes)
{
    int error = real.posix_memalign(result, alignment, bytes);
    if (error == 0)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_ALIGNED, *result, bytes, HERE);
    return error;
}

static void *recorded_valloc(size_t bytes)
{
    void *pointer = real.valloc(bytes);
    if (pointer)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_ALIGNED, pointer, bytes, HERE);
    return pointer;
}

static void *recorded_pvalloc(size_t bytes)
{
    void *pointer = real.pvalloc(bytes);
    if (pointer)
        fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_ALIGNED, pointer, bytes, HERE);
    return pointer;
}

static const struct Allocator recorded = {
    .malloc = recorded_malloc,
    .calloc = recorded_calloc,
    .realloc = recorded_realloc,
    .reallocarray = recorded_reallocarray,
    .free = recorded_free,
    .memalign = recorded_memalign,
    .aligned_alloc = recorded_aligned_alloc,
    .posix_memalign = recorded_posix_memalign,
    .valloc = recorded_valloc,
    .pvalloc = recorded_pvalloc,
};

/* ---- What the program calls ------------------------------------------------------------ */

static struct Allocator table = {
    .malloc = early_malloc,
    .calloc = early_calloc,
    .realloc = early_realloc,
    .reallocarray = early_reallocarray,
    .free = early_free,
    .memalign = early_memalign,
    .aligned_alloc = early_memalign,
    .posix_memalign = early_posix_memalign,
    .valloc = early_valloc,
    .pvalloc = early_pvalloc,
};

static bool is_recording(void)
{
    return table.malloc == recorded_malloc;
}

FC_EXPORT FC_JUMPING void *malloc(size_t bytes)
{
    FC_JUMP table.malloc(bytes);
}

/* A name for libfc's own malloc, even if another library defines malloc first. */
extern void *own_malloc(size_t bytes)
    __attribute__((alias("malloc"), visibility("hidden"), malloc, alloc_size(1), nothrow, leaf));

FC_EXPORT FC_JUMPING void *calloc(size_t count, size_t bytes)
{
    FC_JUMP table.calloc(count, bytes);
}

FC_EXPORT FC_JUMPING void *realloc(void *old, size_t bytes)
{
    FC_JUMP table.realloc(old, bytes);
}

FC_EXPORT FC_JUMPING void *reallocarray(void *old, size_t count, size_t bytes)
{
    FC_JUMP table.reallocarray(old, count, bytes);
}

FC_EXPORT FC_JUMPING void free(void *pointer)
{
    FC_JUMP table.free(pointer);
}

FC_EXPORT FC_JUMPING void *memalign(size_t alignment, size_t bytes)
{
    FC_JUMP table.memalign(alignment, bytes);
}

FC_EXPORT FC_JUMPING void *aligned_alloc(size_t alignment, size_t bytes)
{
    FC_JUMP table.aligned_alloc(alignment, bytes);
}

FC_EXPORT FC_JUMPING int posix_memalign(void **result, size_t alignment, size_t bytes)
{
    FC_JUMP table.posix_memalign(result, alignment, bytes);
}

FC_EXPORT FC_JUMPING void *valloc(size_t bytes)
{
    FC_JUMP table.valloc(bytes);
}

FC_EXPORT FC_JUMPING void *pvalloc(size_t bytes)
{
    FC_JUMP table.pvalloc(bytes);
}

/* ---- The start ---------------------------------------------------------------------------- */

static void start_block(const struct FcEarlyBlock *block)
{
    const void *stack = __builtin_dwarf_cfa();
    bool is_first = block->first_caller == NULL;
    fc_alloc_record(FC_RECORD_ALLOCATED, FC_CALL_EARLY, block->pointer,
                    is_first ? block->bytes : block->first_bytes,
                    is_first ? block->caller : block->first_caller, stack);
    if (is_first)
        return;
    fc_alloc_record(FC_RECORD_REALLOC, FC_CALL_REALLOC, block->pointer, block->bytes, block->caller,
                    stack);
    fc_alloc_record(FC_RECORD_REALLOCATED, FC_CALL_EARLY, block->pointer, block->bytes,
                    block->caller, stack);
}

static void record_all(void)
{
    table = recorded;
}

static void record_none(void)
{
    struct Allocator all = real;
    /* the real functions must not get blocks of the arena */
    if (arena_used > 0)
    {
        all.free = early_free;
        all.realloc = early_realloc;
        all.reallocarray = early_reallocarray;
    }
    table = all;
}

/* Whether `name` resolves to another module than libfc.  A non-PIE executable that takes a
 * function's address has a stub for it, to which the name resolves.  Its symbol is still
 * undefined there, so such a stub is not foreign. */
static bool is_foreign(const char *name, const void *own_base)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *found = fc_libc()->dlsym(RTLD_DEFAULT, name);
    if (!found || fc_libc()->dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0)
        return false;
    return info.dli_fbase != own_base && (symbol == NULL || symbol->st_shndx != SHN_UNDEF);
}

bool fc_interpose_is_first(void)
{
    Dl_info own;
    return fc_libc()->dladdr((void *)own_malloc, &own) == 0 ||
           (!is_foreign("malloc", own.dli_fbase) && !is_foreign("free", own.dli_fbase) &&
            !is_foreign("realloc", own.dli_fbase) && !is_foreign("calloc", own.dli_fbase));
}

void fc_interpose_start(bool memory)
{
    is_ready();
    fc_interpose_cxx_find();
    if (memory && fc_config.memory_unwind)
        fc_unwind_start();
    if (memory)
        fc_early_close(start_block, record_all);
    else
        fc_early_close(NULL, record_none);
    fc_interpose_cxx_start(memory);
    fc_mappings_start(memory);
}
