/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two functions that the compiler calls at each entry and exit: the hot path.
 *
 *     instrumented function
 *        |  __cyg_profile_func_enter(function, call site)
 *        v
 *     read the clock ............... rdtsc, one predicted branch (off: back from here)
 *     take a slot .................. one xadd on a thread-local word
 *        |                    \
 *        | (1 in 2,000)        v
 *        |                  store 32 bytes; return
 *        v
 *     fc_record_slow: give the full chunk to fcmanager, take a free one
 *
 * The clock is read before the slot is taken: a signal handler that comes in
 * between then stands before this record both in time and in order.
 *
 * Nothing here may call into libc, touch errno or allocate.
 */
#include "libfc/clock.h"
#include "libfc/record.h"

#if defined(__x86_64__) || defined(__aarch64__)
/* Address of the stack just above the hook's own frame, that is, the stack pointer
 * of the instrumented function at the call. */
#define STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#else
#define STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_frame_address(0))
#endif

/* Everything that is not the common case is a tail call: the hooks need no frame. */
__attribute__((noinline, cold)) FC_REALIGN static void record_slow_clock(uint64_t where,
                                                                         void *function, void *site)
{
    uint64_t time = fc_clock_now();
    fc_record_make(time, function, site, where);
}

/* All that a hook does when profiling is off.  A function of its own, or the hooks would load the
 * mode to a register to compare it twice. */
__attribute__((noinline, cold)) static void record_unless_off(uint64_t where, void *function,
                                                              void *site)
{
    if (fc_clock_get_mode() != FC_CLOCK_OFF)
        record_slow_clock(where, function, site);
}

static inline __attribute__((always_inline)) void record(uint64_t where, void *function, void *site)
{
    if (fc_unlikely(!fc_clock_is_fast()))
    {
        record_unless_off(where, function, site);
        return;
    }
    uint64_t time = fc_clock_read_fast();
    fc_record_make(time, function, site, where);
}

#define WHERE(kind)                                                                                \
    ((STACK_ADDRESS() & ~FC_WHERE_KIND_MASK) | (kind) |                                            \
     (uint64_t)(uintptr_t)__builtin_return_address(0) << FC_WHERE_RETURN_SHIFT)

typedef void Hook(void *function, void *site);

/* The C library has empty functions of the same names.  Wherever that comes first, as in a
 * program that loads a profiled plug-in and is not profiled itself, only a version of our own
 * leads to us.  Whoever was linked without libfc asks for the C library's version: we have
 * that as well, for LD_PRELOAD.  libfc.map.in names both. */
#define VERSIONS(name, hook)                                                                       \
    extern __typeof(hook) hook##_of_libc __attribute__((alias(#hook), visibility("default")));     \
    __asm__(".symver " #hook "," name "@@FC_4\n"                                                   \
            ".symver " #hook "_of_libc," name "@" FC_LIBC_VERSION)

FC_EXPORT Hook fc_hook_enter;
FC_EXPORT Hook fc_hook_exit;

void fc_hook_enter(void *function, void *site)
{
    record(WHERE(FC_RECORD_ENTER), function, site);
}

void fc_hook_exit(void *function, void *site)
{
    record(WHERE(FC_RECORD_EXIT), function, site);
}

VERSIONS("__cyg_profile_func_enter", fc_hook_enter);
VERSIONS("__cyg_profile_func_exit", fc_hook_exit);
