/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stack segments of one thread: the stacks that it runs on.
 *
 * Besides its own stack a thread may run on those of coroutines and of signal handlers.  Each has
 * its own open frames here, a segment, and is found by the stack address in the record.  The
 * segments in use form a chain: the outermost frame of each is called by the innermost one of the
 * segment before, as a handler is by what it interrupts, and a coroutine by what resumed it.
 * Going back to a segment of the chain pauses those after it: their frames stay open, but no time
 * passes for them until they are resumed.
 *
 * Called by stack.c; not the hot path.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* Adds a segment for the addresses [low, low + size), with room for `frames` at first.  Returns
 * its index.  The current segment must have been saved. */
gint fc_stack_add_segment(FcStack *stack, guint64 low, guint64 size, guint32 frames);

/* The first copies the members of segment `index` to FcStack, which makes it the current one.  The
 * second writes those of the current one back to its segment. */
void fc_stack_load_current(FcStack *stack, gint index);
void fc_stack_save_current(FcStack *stack);

/* To be called when the bounds of the thread's own stack or the regions changed. */
void fc_stack_update_bounds(FcStack *stack);

/* Segment `index` goes on at `time`: those that it called are paused.  If it was paused, the
 * current one calls it now. */
void fc_stack_switch_to(FcStack *stack, gint index, guint64 time);
/* No time passes for the current segment's frames from here on.  It leaves the chain. */
void fc_stack_pause_current(FcStack *stack, guint64 time);

/* `address`, of a record of `kind` and `function`, is not within the bounds of the current
 * segment: switches to the segment that it is on. */
void fc_stack_find_segment(FcStack *stack, guint64 address, guint64 kind, guint64 function,
                           guint64 time);
