/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of the activations of a counted function at most one has a frame in the manager and ends with an
 * EXIT: it is held, and the function's exit limit is its address.  Where it was left without
 * an exit that nobody saw, the limit is out of date; then a time is off, never a count.
 *
 * For counted.c.  Of the calling thread's functions; async-signal-safe.  `where` is FcRecord.where.
 */
#pragma once

#include "libfc/counters.h"
#include "libfc/thread.h"

static inline uint64_t fc_held_address(uint64_t where)
{
    return where & FC_WHERE_ADDRESS_MASK;
}

static inline uint64_t fc_held_return_bits(uint64_t where)
{
    return where >> FC_WHERE_RETURN_SHIFT;
}

static inline bool fc_held_is_own_stack(uint64_t address)
{
    return address - fc_thread.own_stack.start <
           fc_thread.own_stack.end - fc_thread.own_stack.start;
}

static inline bool fc_held_is(const struct FcFunction *known)
{
    return known->slot->exit_limit != FC_NO_LIMIT;
}

/* An activation is held from now on, at the address of which `inlined` others are open; and none
 * any more. */
void fc_held_begin(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                   uint64_t where, uint32_t inlined);
void fc_held_end(struct FcCounted *counted, struct FcFunction *known);

/* Whether the held activation is below `where`, on the same stack. */
bool fc_held_is_below(const struct FcFunction *known, uint64_t where);

/* Whether an entry at `where` shows that the held activation is over: it lies at or above it, or is
 * the very same call, which can't be made again before it returned. */
bool fc_held_is_left(const struct FcFunction *known, uint64_t site, uint64_t where);
