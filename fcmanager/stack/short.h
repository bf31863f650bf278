/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes short records of calls that need no repair: the innermost loop of the manager.  Called by
 * stack.c, which takes all other records, and would take these with the same result.
 */
#pragma once

#include "fcmanager/stack/frames.h"
#include "libfc/fc-format.h"

/* Takes short records from `units` up to `end`.  Returns the first unit that it did not take: `end`
 * or a record for stack.c.  `in_place`: the records' generation, shifted to its place in a unit's
 * last word. */
const struct FcUnit *fc_stack_feed_short(FcStack *stack, const struct FcUnit *units,
                                         const struct FcUnit *end, guint64 in_place);
