/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inferred stack segments: stacks of coroutines that a library switches to by itself, so that
 * nobody announced their bounds.  Nothing is known of them but the addresses of their open frames.
 * Used by stack-segments.c.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* The inferred segment that `address`, of a record of `kind` and `function`, is on; -1: none that
 * is known. */
gint fc_stack_find_inferred(FcStack *stack, guint64 address, guint64 kind, guint64 function);

/* From now on segment `index`, which has no frames, is found by `address`: that of the frame
 * which is about to be its outermost. */
void fc_stack_add_inferred(FcStack *stack, guint64 address, gint index);
/* It lost its last frame: not to be found any more. */
void fc_stack_drop_inferred(FcStack *stack, gint index);
