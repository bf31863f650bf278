/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Short records of calls with which nothing is amiss: the innermost loop of the manager.  For
 * stack.c, which takes all others; what either does with a record is the same.
 *
 * An edge (context of the caller, name) is looked up in a table of those that were met last, which
 * has all that a call of it adds to.
 */
#pragma once

#include "fcmanager/stack-frames.h"
#include "libfc/fc-format.h"

/* Takes the short records of `units`[0, `end` - `units`) up to the first that it leaves to others.
 * `in_place`: their generation, where it stands in a unit's last word. */
const struct FcUnit *fc_stack_feed_short(FcStack *stack, const struct FcUnit *units,
                                         const struct FcUnit *end, guint64 in_place);

static inline guint32 short_name(guint64 first)
{
    return (guint32)(first >> FC_SHORT_NAME_SHIFT & FC_NAME_MASK);
}

static inline guint64 short_address(const FcStack *stack, guint64 first)
{
    return stack->names_low + (first >> FC_SHORT_ADDRESS_SHIFT & FC_SHORT_ADDRESS_MASK);
}
