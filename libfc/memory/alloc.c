/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes records of memory.  fc-format.h describes their contents.
 */
#include "libfc/memory/alloc.h"

#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/hooks/deferred.h"
#include "libfc/memory/unwind.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

/* Reads the clock, ordered with the memory accesses around it.  The fence waits for earlier
 * loads, above all the load of a pointer that another thread has just stored.  Later stores,
 * which may publish the block, come after the reading; arm64 needs a second barrier for that,
 * since memory barriers do not order its counter.  The only thread of a process needs no fence,
 * since its records are in order. */
static inline uint64_t read_clock(void)
{
#if __has_include(<sys/single_threaded.h>)
    if (__libc_single_threaded)
        return fc_clock_now();
#endif
#if defined(__x86_64__)
    __asm__ volatile("lfence" : : : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("dsb ishld\n\tisb" : : : "memory");
#endif
    uint64_t time = fc_clock_now();
#if defined(__aarch64__)
    __asm__ volatile("isb" : : : "memory");
#endif
    __asm__ volatile("" ::: "memory");
    return time;
}

/* Sends one record for a thread whose end was already reported: libc frees the thread's data
 * after that. */
static void send_late(const struct FcRecord *record)
{
    if (fc_state_is_off())
        return;
    struct FcMessage message = {.type = FC_MSG_MEMORY};
    uint64_t old = fc_block_signals();
    fc_channel_send(&message, record, sizeof *record);
    fc_restore_signals(old);
}

/* Returns the high bits of a freed pointer, for which records have no room.  Not 0 only for an
 * invalid pointer. */
static inline uint64_t wild_bits(enum FcRecordKind kind, uint64_t address)
{
#if defined(__aarch64__)
    address &=
        UINT64_MAX >> 8; /* the processor ignores the top byte, and allocators use it for tags */
#endif
    const bool is_given_back =
        kind == FC_RECORD_FREE || kind == FC_RECORD_FREE_NAMED || kind == FC_RECORD_REALLOC;
    return is_given_back ? address >> FC_POINTER_HIGH_SHIFT : 0;
}

void fc_alloc_record(enum FcRecordKind kind, enum FcMemoryCall call, const void *pointer,
                     size_t bytes, const void *caller, const void *stack)
{
    if (fc_unlikely(fc_unwind_is_on) && !fc_thread.has_ended && !fc_unwind_record(caller) &&
        (kind == FC_RECORD_ALLOCATED || kind == FC_RECORD_REALLOCATED))
        call = FC_CALL_OWN;
    if (fc_unlikely(fc_clock_get_mode() == FC_CLOCK_OFF))
        return;
    uint64_t size = bytes < FC_MEMORY_SIZE_MAX ? bytes : FC_MEMORY_SIZE_MAX;
    uint64_t function =
        ((uint64_t)(uintptr_t)pointer & FC_POINTER_MASK) | (uint64_t)call << FC_POINTER_CALL_SHIFT;
    const uint64_t wild = wild_bits(kind, (uint64_t)(uintptr_t)pointer);
    if (fc_unlikely(wild != 0))
    {
        function |= FC_POINTER_WILD;
        size = wild;
    }
    uint64_t where = (uint64_t)kind | ((uint64_t)(uintptr_t)stack & FC_MEMORY_STACK_MASK) |
                     size << FC_MEMORY_SIZE_SHIFT;
    uint64_t time = read_clock();
    if (fc_unlikely(fc_thread.is_looking_up))
        return;
    if (fc_unlikely(fc_thread.has_ended))
    {
        send_late(&(struct FcRecord){where, time, function, (uint64_t)(uintptr_t)caller});
        return;
    }
    if (fc_unlikely(fc_deferred_is_needed()))
    {
        fc_deferred_record(time, (void *)(uintptr_t)function, (void *)(uintptr_t)caller, where);
        return;
    }
    if (fc_switches_any())
        fc_switches_check(time);
    fc_record_make(time, (void *)(uintptr_t)function, (void *)(uintptr_t)caller, where);
    /* Another thread may free the block right away, and its record must come after this one.  So
       a private buffer is sent at once. */
    if (fc_unlikely(fc_thread.private_chunk != NULL))
        fc_chunks_flush_private();
}
