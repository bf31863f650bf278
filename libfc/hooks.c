/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two functions that the compiler calls at each entry and exit: the hot path.
 *
 *     instrumented function
 *        |  __cyg_profile_func_enter(function, call site)
 *        v
 *     read the clock ............... rdtsc, one predicted branch
 *     take a slot .................. one xadd on a thread-local word
 *        |                    \
 *        | (1 in 2,000)        v
 *        |                  store 32 bytes; return
 *        v
 *     fc_ring_record: give the full chunk to fcmanager, take a free one
 *
 * The clock is read before the slot is taken: a signal handler that comes in
 * between then stands before this record both in time and in order.
 *
 * Nothing here may call into libc, touch errno or allocate.
 */
#include "libfc/clock.h"
#include "libfc/record.h"
#include "libfc/ring.h"

#if defined(__x86_64__) || defined(__aarch64__)
/* Address of the stack just above the hook's own frame, that is, the stack pointer
 * of the instrumented function at the call. */
#define STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#else
#define STACK_ADDRESS() ((uint64_t)(uintptr_t)__builtin_frame_address(0))
#endif

/* Everything that is not the common case is a tail call: the hooks need no frame. */
__attribute__((noinline, cold)) static void record_slow_clock(uint64_t frame, void *function,
                                                              void *site)
{
    uint64_t time = fc_clock_now();
    uint64_t generation;
    struct FcRecord *slot = fc_record_reserve(&generation);
    if (slot != NULL)
        fc_record_store(slot, generation, time, function, site, frame);
    else
        fc_ring_record(time, function, site, frame);
}

static inline __attribute__((always_inline)) void record(uint64_t frame, void *function, void *site)
{
    if (fc_unlikely(!fc_clock_is_fast()))
    {
        record_slow_clock(frame, function, site);
        return;
    }
    uint64_t time = fc_clock_read_fast();
    uint64_t generation;
    struct FcRecord *slot = fc_record_reserve(&generation);
    if (fc_unlikely(slot == NULL))
    {
        fc_ring_record(time, function, site, frame);
        return;
    }
    fc_record_store(slot, generation, time, function, site, frame);
}

#define FRAME(kind)                                                                                \
    ((STACK_ADDRESS() & ~FC_FRAME_KIND_MASK) | (kind) |                                            \
     (uint64_t)(uintptr_t)__builtin_return_address(0) << FC_FRAME_RETURN_SHIFT)

FC_EXPORT void __cyg_profile_func_enter(void *function, void *site);
FC_EXPORT void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    record(FRAME(FC_RECORD_ENTER), function, site);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    record(FRAME(FC_RECORD_EXIT), function, site);
}
