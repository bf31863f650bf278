/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which open calls of code instrumented after inlining made a record at their entry, or may have.
 * An exit there does not know its function.  In a thread that counts such functions it learns here
 * whether its entry was recorded.  All functions work on the calling thread and its own stack; on
 * other stacks all calls are recorded.
 *
 * Entries that a jump left are removed by the next event at a higher stack address.
 *
 * FcHooks.recorded (libfc/base/thread-hooks.h) points here; NULL: the thread counts no such
 * function.  The hooks in modules read FcHooks.room, which is derived from this.
 *
 * Async-signal-safe; a handler may come between any two instructions.  Only fc_recorded_begin and
 * fc_recorded_end touch vector registers.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/count/counter-table.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* How many open recorded calls the table holds.  Within that many, every call is recorded: see
 * fc_recorded_is_within. */
#if defined(FC_TEST_EAGER)
#define FC_RECORDED_MAX 64u
#else
#define FC_RECORDED_MAX 16384u
#endif

struct FcRecordedCall
{
    uint64_t function; /* with FC_FUNCTION_AFTER_INLINING */
    uint64_t site;
    uint64_t frame_address; /* address of the return address: see frame-address.h */
};

struct FcRecorded
{
    uint64_t stack_start; /* of the thread's own stack */
    uint64_t stack_bytes;
    uint64_t count;
    struct FcRecordedCall calls[FC_RECORDED_MAX]; /* innermost last */
};

/* Whether calls at this address belong into the table: it is on the thread's own stack. */
static inline __attribute__((always_inline)) bool
fc_recorded_watches(const struct FcRecorded *recorded, uint64_t frame_address)
{
    return frame_address - recorded->stack_start < recorded->stack_bytes;
}

/* Sets FcHooks.room for the hooks in modules, from the innermost entry. */
static inline __attribute__((always_inline)) void
fc_recorded_publish(const struct FcRecorded *recorded)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const uint64_t count = recorded->count;
    uint64_t room = recorded->stack_bytes;
    if (count > 0)
    {
        const uint64_t innermost = recorded->calls[count - 1].frame_address;
        const bool is_known = count < FC_RECORDED_MAX && fc_recorded_watches(recorded, innermost);
        room = is_known ? innermost - recorded->stack_start : 0;
    }
    __atomic_store_n(&fc_hooks.room, room, __ATOMIC_RELAXED);
}

/* Removes the innermost entry. */
static inline __attribute__((always_inline)) void fc_recorded_pop(struct FcRecorded *recorded)
{
    recorded->count--;
    fc_recorded_publish(recorded);
}

/* Removes entries below `frame_address`, which have left, and entries at it that are of another
 * call: a tail call has taken their stack address.  Returns the number of entries that remain. */
static inline __attribute__((always_inline)) uint32_t
fc_recorded_cut(struct FcRecorded *recorded, uint64_t site, uint64_t frame_address)
{
    uint64_t at = recorded->count;
    while (at > 0 && (recorded->calls[at - 1].frame_address < frame_address ||
                      (recorded->calls[at - 1].frame_address == frame_address &&
                       recorded->calls[at - 1].site != site)))
        at--;
    if (at < recorded->count)
    {
        recorded->count = at;
        fc_recorded_publish(recorded);
    }
    return at;
}

/* Whether the table was full when this call was entered, so that the call was recorded.  The
 * counted calls that were open when the table became full have higher addresses. */
static inline __attribute__((always_inline)) bool
fc_recorded_is_within(struct FcRecorded *recorded, uint64_t site, uint64_t frame_address)
{
    return fc_recorded_cut(recorded, site, frame_address) == FC_RECORDED_MAX &&
           frame_address < recorded->calls[FC_RECORDED_MAX - 1].frame_address;
}

/* Adds an entry. */
static inline __attribute__((always_inline)) void fc_recorded_push(struct FcRecorded *recorded,
                                                                   uint64_t function, uint64_t site,
                                                                   uint64_t frame_address)
{
    const uint64_t at = fc_recorded_cut(recorded, site, frame_address);
    if (fc_unlikely(at == FC_RECORDED_MAX))
        return;
    const struct FcRecordedCall call = {function, site, frame_address};
    recorded->calls[at] = call;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorded->count = at + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorded->calls[at] = call; /* a handler in between may have used and left this entry */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorded->count = at + 1; /* and another handler may have taken this entry for one that a jump
                                 left */
    fc_recorded_publish(recorded);
}

/* The innermost entry that an exit may be of; NULL: the exit is of a counted call. */
static inline __attribute__((always_inline)) const struct FcRecordedCall *
fc_recorded_find(struct FcRecorded *recorded, uint64_t site, uint64_t frame_address)
{
    const uint64_t at = fc_recorded_cut(recorded, site, frame_address);
    return at > 0 && recorded->calls[at - 1].frame_address == frame_address
               ? &recorded->calls[at - 1]
               : NULL;
}

/* To be called after the entry of a call was recorded by a hook that had found no table: a handler
 * that interrupted the hook may have made one.  Adds the entry unless it is there.  Not for calls
 * that counted.c skips or counts. */
static inline __attribute__((always_inline)) void fc_recorded_complete(struct FcRecorded *recorded,
                                                                       uint64_t function,
                                                                       uint64_t site,
                                                                       uint64_t frame_address)
{
    if (fc_likely(!recorded) || !fc_recorded_watches(recorded, frame_address))
        return;
    const struct FcRecordedCall *call = fc_recorded_find(recorded, site, frame_address);
    if (!call || call->function != function)
        fc_recorded_push(recorded, function, site, frame_address);
}

/* Makes `recorded`, which has no entries, that of the calling thread, for a stack at that
 * address and of that size.  Signals blocked. */
void fc_recorded_use(struct FcRecorded *recorded, uint64_t stack_start, uint64_t stack_bytes);

/* The calling thread is going to count such functions: adds the open calls that its records show
 * (detail.h).  False: there is no memory.  Signals blocked. */
bool fc_recorded_begin(void);
/* The thread ends: gives the table back.  Signals blocked. */
void fc_recorded_end(void);
