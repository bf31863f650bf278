/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Short records of calls with which nothing is amiss: the innermost loop of the manager.  For
 * stack.c, which takes all others; what either does with a record comes to the same.
 */
#pragma once

#include "fcmanager/stack/frames.h"
#include "libfc/fc-format.h"

/* Takes the short records of `units`[0, `end` - `units`) up to the first that it leaves to others.
 * `in_place`: their generation, where it stands in a unit's last word. */
const struct FcUnit *fc_stack_feed_short(FcStack *stack, const struct FcUnit *units,
                                         const struct FcUnit *end, guint64 in_place);
