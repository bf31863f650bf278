/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time of a thread that is not its work: off the CPU, because it waited or was preempted, and
 * while libfc was at work or waited for the manager.  For stack*.c; not the hot path, which only
 * asks whether a frame has any.
 *
 * What an FC_RECORD_OFF tells was between the record before it and itself, so it is the innermost
 * frame's own; when that ends its caller inherits it.  What there is no room for was after the
 * record that follows: the hook was cut short between its clock and its look.  Unless there is no
 * room for it there either: then it was some time before, and nobody saw it, as where the host of a
 * virtual machine takes the processor away.  That is of no frame; waits.h spreads it.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* Of one open frame. */
struct FrameAway
{
    struct StackAway now;    /* since it was entered or resumed, with its callees */
    struct StackAway before; /* until it was paused */
    struct StackAway own;    /* without its callees */
    guint16 next;            /* of those that are free; 0: none */
};

/* Before such a record is taken while no frame is open: nothing may come after it, see
 * fc_stack_end_outside. */
void fc_stack_note_outside(FcStack *stack, guint64 before, guint64 time);
/* A record of that kind: what it tells, of the time since `before`. */
void fc_stack_take_off(FcStack *stack, guint64 kind, guint64 value, guint64 site, guint64 before,
                       guint64 time);
/* A record told of too much, and the first one of a later time is to be taken: the rest belongs to
 * what went on until then, at `time`, if that is so long. */
void fc_stack_take_pending(FcStack *stack, guint64 time);
/* The frame was taken out of the stack, and its clock stopped. */
void fc_stack_drop_away(FcStack *stack, struct StackFrame *frame);
/* Ticks of the frame until now that it was off the CPU. */
guint64 fc_stack_off_of(const FcStack *stack, const struct StackFrame *frame);
