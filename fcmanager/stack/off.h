/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time of a thread that is not its work: it waited, was preempted, or libfc was working or waiting
 * for the manager.  For the files of this folder; not the hot path, which only asks whether a frame
 * has any.
 *
 * The time that an FC_RECORD_OFF reports was between the record before it and itself, so it belongs
 * to the innermost frame and those that called it.  If it is longer than that, the rest was after
 * the record: the hook was interrupted after it had read its clock.  The rest is pending until the
 * next record.  What has no room before that either was some time earlier and was not reported, as
 * when the host of a virtual machine takes the processor away.  It belongs to no frame; waits.h
 * distributes it.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* The times of one open frame. */
struct FrameAway
{
    struct StackAway now;    /* since it was entered or resumed, with its callees */
    struct StackAway before; /* until it was paused */
    struct StackAway own;    /* without its callees */
    guint16 next;            /* if this one is free: the next free one; 0: none */
};

/* To be called before an FC_RECORD_OFF is taken while no frame is open.  It may be the thread's
 * last: see fc_stack_end_outside. */
void fc_stack_note_outside(FcStack *stack, guint64 before, guint64 time);
/* Takes an FC_RECORD_OFF of that kind (FcOffRecord) at `time`.  The record before it was at
 * `before`. */
void fc_stack_take_off(FcStack *stack, guint64 kind, guint64 value, guint64 site, guint64 before,
                       guint64 time);
/* To be called before the next record, at `time`, is taken if is_pending: the innermost frame gets
 * the pending time if that fits between the two records. */
void fc_stack_take_pending(FcStack *stack, guint64 time);
/* Frees what the frame has of this.  The frame's clock must have been stopped. */
void fc_stack_drop_away(FcStack *stack, struct StackFrame *frame);
/* How many ticks the frame was off the CPU so far, with what it called. */
guint64 fc_stack_off_of(const FcStack *stack, const struct StackFrame *frame);
