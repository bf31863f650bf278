/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inferred stack segments: stacks of coroutines that a library switches to by itself, so their
 * bounds were never announced.  Only the addresses of their open frames are known.  Used by
 * segments.c.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* The index of the inferred segment that `address` is on; -1: it is on none that is known.  `kind`
 * and `function` are those of the record that has the address. */
gint fc_stack_find_inferred(FcStack *stack, guint64 address, guint64 kind, guint64 function);

/* Makes segment `index`, which has no frames, an inferred one.  `address` is that of its future
 * outermost frame. */
void fc_stack_add_inferred(FcStack *stack, guint64 address, gint index);
/* Segment `index` has no frames any more: it will not be found again. */
void fc_stack_drop_inferred(FcStack *stack, gint index);
