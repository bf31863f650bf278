/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of the activations of a counted function at most one has a frame in the manager and ends with an
 * EXIT: it is held.  Where it was left without an exit that nobody saw, it stays so; then a time is
 * off, never a count.
 *
 * For counted.c and burst.c.  Of the calling thread's functions; async-signal-safe.  `where` is
 * FcRecord.where.
 */
#pragma once

#include "libfc/base/place.h"
#include "libfc/base/thread.h"
#include "libfc/count/counters.h"

static inline uint64_t fc_held_return_bits(uint64_t where)
{
    return where >> FC_WHERE_RETURN_SHIFT;
}

/* Where an activation of the function is on the stack, */
static inline uint64_t fc_held_place(const struct FcFunction *known, uint64_t where)
{
    return fc_place_of(FC_LOAD_RELAXED(known->function), where);
}

/* and where the held one is. */
static inline uint64_t fc_held_limit(const struct FcFunction *known)
{
    return fc_held_place(known, known->where);
}

static inline bool fc_held_is(const struct FcFunction *known)
{
    const struct FcSlot *slot = __atomic_load_n(&known->slot, __ATOMIC_RELAXED);
    return slot && slot->exit_limit != FC_NO_LIMIT; /* none: in a child that a handler forked */
}

/* An activation is held from now on, within which `nested` are open; and none any more. */
void fc_held_begin(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                   uint64_t where, struct FcNested nested);
void fc_held_end(struct FcCounted *counted, struct FcFunction *known);

/* All calls of the function are counted from now on, so far the nested ones were. */
void fc_held_begin_outermost(struct FcCounted *counted, struct FcFunction *known);

/* The same where the function's pairs stay as they are: the held one is a sample. */
void fc_held_begin_sample(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                          uint64_t where);

/* The functions of which an activation is held, one after the other: the next one from `*number`
 * on, which goes on behind it; NULL: there is none.  A program may jump often, so that few steps
 * are made for those that are not. */
struct FcFunction *fc_held_next(struct FcCounted *counted, uint32_t *number);

/* A call from the held activation's call site, within it and on its stack. */
void fc_held_add_nested(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                        uint64_t where);

/* Whether an exit is that of the held activation. */
bool fc_held_ends(struct FcFunction *known, uint64_t site, uint64_t where);

/* Whether the held activation is below `where`, on the same stack. */
bool fc_held_is_below(const struct FcFunction *known, uint64_t where);

/* Whether an entry at `where` shows that the held activation is over: it lies at or above it, or is
 * the very same call, which can't be made again before it returned. */
bool fc_held_is_left(const struct FcFunction *known, uint64_t site, uint64_t where);
