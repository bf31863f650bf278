/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inferred stack segments: stacks of coroutines that a library switches to by itself, so their
 * bounds were never announced.  Only the addresses of their open frames are known.  Used by
 * segments.c.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* The inferred segment that `address`, of a record of `kind` and `function`, is on; -1: no known
 * one. */
gint fc_stack_find_inferred(FcStack *stack, guint64 address, guint64 kind, guint64 function);

/* From here on segment `index`, which has no frames, is found by `address`, that of the frame
 * which is about to be its outermost one. */
void fc_stack_add_inferred(FcStack *stack, guint64 address, gint index);
/* The segment lost its last frame and is not to be found any more. */
void fc_stack_drop_inferred(FcStack *stack, gint index);
