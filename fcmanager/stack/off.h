/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time of a thread that is not its work: off the CPU, because it waited or was preempted, and
 * while libfc was working or waiting for the manager.  For the files of this folder; not the hot
 * path, which only asks whether a frame has any.
 *
 * The time that an FC_RECORD_OFF reports lies between the record before it and itself, so it
 * belongs to the innermost frame; when that ends its caller inherits it.  Time for which there is
 * no room there lies after the next record: the hook was interrupted between reading its clock and
 * checking.  If there is no room there either, it was some time before, and nobody saw it, as when
 * the host of a virtual machine takes the processor away.  That time belongs to no frame; waits.h
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
    guint16 next;            /* the next free one; 0: none */
};

/* To be called before such a record is taken while no frame is open: nothing may come after it,
 * see fc_stack_end_outside. */
void fc_stack_note_outside(FcStack *stack, guint64 before, guint64 time);
/* Takes a record of that kind, about the time since `before`. */
void fc_stack_take_off(FcStack *stack, guint64 kind, guint64 value, guint64 site, guint64 before,
                       guint64 time);
/* A record reported more than there was room for, and the first record of a later time is to be
 * taken: the rest belongs to what went on until then, at `time`, if that is long enough. */
void fc_stack_take_pending(FcStack *stack, guint64 time);
/* The frame was removed from the stack, and its clock was stopped. */
void fc_stack_drop_away(FcStack *stack, struct StackFrame *frame);
/* Ticks of the frame so far that it was off the CPU. */
guint64 fc_stack_off_of(const FcStack *stack, const struct StackFrame *frame);
