/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which activations of code that gcc instrumented after inlining have made a record at their entry,
 * or may have: once a thread counts such functions, an exit, which does not know what it is of,
 * learns here whether it is that of a counted call.  Of the calling thread, and of its own stack:
 * on any other all calls are recorded.
 *
 * What was left by a jump that nobody told is taken away by whatever comes next that lies above it.
 *
 * FcHooks.recorded (counter-table.h) leads there; NULL: the calling thread counts no such function.
 * The hooks in modules go by what is made of it, FcHooks.room.
 *
 * Async-signal-safe; a handler may come between any two instructions.  Touches no vector register
 * but in fc_recorded_begin and fc_recorded_end.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/count/counter-table.h"
#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* Within so many, whatever is called is recorded: see fc_recorded_is_within. */
#if defined(FC_TEST_EAGER)
#define FC_RECORDED_MAX 64u
#else
#define FC_RECORDED_MAX 16384u
#endif

struct FcRecordedCall
{
    uint64_t function; /* with FC_FUNCTION_AFTER_INLINING */
    uint64_t site;
    uint64_t frame_address; /* address of the return address: frame-address.h */
};

struct FcRecorded
{
    uint64_t stack_start; /* of the thread's own */
    uint64_t stack_bytes;
    uint64_t count;
    struct FcRecordedCall calls[FC_RECORDED_MAX]; /* innermost last */
};

/* Whether calls at the place are told here. */
static inline __attribute__((always_inline)) bool
fc_recorded_watches(const struct FcRecorded *recorded, uint64_t frame_address)
{
    return frame_address - recorded->stack_start < recorded->stack_bytes;
}

/* Tells the hooks in modules what the innermost one is. */
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

/* The innermost one leaves. */
static inline __attribute__((always_inline)) void fc_recorded_pop(struct FcRecorded *recorded)
{
    recorded->count--;
    fc_recorded_publish(recorded);
}

/* Those that lie below `place` have left, and who lies there, unless it is of the same call:
 * whoever comes then has taken its place by a tail call.  The number of those that remain. */
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

/* Whether the place, which is one of now, is within as many as the table holds: nothing that was
 * entered there is counted, as the counted calls that were open when it became full lie above. */
static inline __attribute__((always_inline)) bool
fc_recorded_is_within(struct FcRecorded *recorded, uint64_t site, uint64_t frame_address)
{
    return fc_recorded_cut(recorded, site, frame_address) == FC_RECORDED_MAX &&
           frame_address < recorded->calls[FC_RECORDED_MAX - 1].frame_address;
}

/* An entry. */
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
    recorded->calls[at] = call; /* a handler in between has used the place, and left it */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorded->count = at + 1; /* and another one has taken what it left for left by a jump */
    fc_recorded_publish(recorded);
}

/* The innermost one that an exit may be of; NULL: the exit is that of a counted call. */
static inline __attribute__((always_inline)) const struct FcRecordedCall *
fc_recorded_find(struct FcRecorded *recorded, uint64_t site, uint64_t frame_address)
{
    const uint64_t at = fc_recorded_cut(recorded, site, frame_address);
    return at > 0 && recorded->calls[at - 1].frame_address == frame_address
               ? &recorded->calls[at - 1]
               : NULL;
}

/* The calling thread goes by that one, in which nothing is open, for a stack of such a place and
 * size.  Signals blocked. */
void fc_recorded_use(struct FcRecorded *recorded, uint64_t stack_start, uint64_t stack_bytes);

/* The calling thread is going to count such functions: begins with what is open as its records have
 * it (detail.h).  False where there is no memory.  Signals blocked. */
bool fc_recorded_begin(void);
/* The thread ends.  Signals blocked. */
void fc_recorded_end(void);
