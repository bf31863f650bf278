/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of the open calls of a counted function at most one has a frame in the manager and ends with an
 * EXIT.  That call is the framed one.  If it is left without an exit, and nobody saw that, it
 * stays framed; then a time is wrong, but never a count.
 *
 * For counted.c and burst.c.  All functions work on functions of the calling thread and are
 * async-signal-safe.  `where` is FcRecord.where.
 */
#pragma once

#include "libfc/base/frame-address.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"

static inline uint64_t fc_framed_return_bits(uint64_t where)
{
    return where >> FC_WHERE_RETURN_SHIFT;
}

/* The stack address of a call of the function. */
static inline uint64_t fc_framed_address_of(const struct FcFunction *known, uint64_t where)
{
    return fc_frame_address(FC_LOAD_RELAXED(known->function), where);
}

/* The stack address of the framed call. */
static inline uint64_t fc_framed_address(const struct FcFunction *known)
{
    return fc_framed_address_of(known, known->where);
}

static inline bool fc_framed_is(const struct FcFunction *known)
{
    const struct FcSlot *slot = __atomic_load_n(&known->slot, __ATOMIC_RELAXED);
    return slot && slot->exit_limit != FC_NO_LIMIT; /* NULL in a child that a handler forked */
}

/* From now on this call is framed, with `nested` open within it; or no call is. */
void fc_framed_begin(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                     uint64_t where, struct FcNested nested);
void fc_framed_end(struct FcCounted *counted, struct FcFunction *known);

/* Begins to count all calls of the function; so far only nested ones were counted. */
void fc_framed_begin_outermost(struct FcCounted *counted, struct FcFunction *known);

/* As fc_framed_begin, for a timed call.  The function's pairs stay as they are. */
void fc_framed_begin_sample(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                            uint64_t where);

/* Iterates over the functions that have a framed call: the next one from *number on, which is
 * advanced; NULL: there are no more.  Skips the others in few steps, since a program may jump
 * often. */
struct FcFunction *fc_framed_next(struct FcCounted *counted, uint32_t *number);

/* A call from the framed call's call site, within it and on its stack. */
void fc_framed_add_nested(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                          uint64_t where);

/* Whether an exit is that of the framed call. */
bool fc_framed_ends(struct FcFunction *known, uint64_t site, uint64_t where);

/* Whether the framed call is below `where`, on the same stack. */
bool fc_framed_is_below(const struct FcFunction *known, uint64_t where);

/* Whether an entry at `where` shows that the framed call is over.  It does if the call lies below
 * the entry, or at the same address and the entry is another call or that same one made again. */
bool fc_framed_is_left(const struct FcFunction *known, uint64_t site, uint64_t where);
