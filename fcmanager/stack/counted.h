/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frames of functions whose calls are counted.  Called by stack.c, which has found the segment
 * and repaired the frames before; not the hot path.
 *
 * A call that is timed opens a frame and begins a sampling burst.  The burst ends when the frame is
 * closed or libfc ends it.  All calls in a burst are recorded, so the caller of each is certain.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* See fc_stack_count_call. */
typedef struct
{
    guint64 function;
    guint64 site;
    guint64 time;
    guint64 calls;
    guint64 weight;
    gboolean deep;
} FcStackCall;

/* The calls of `function` are counted from `time` on.  Of its open frames only the outermost stays.
 * The others will have no exit, so each ends when the next frame inside it began.  `nested`: only
 * calls within another call of the function are counted. */
void fc_stack_begin_counting(FcStack *stack, guint64 function, guint64 time, gboolean nested);

/* Opens the frame of a timed call and begins a burst.  The caller sets the frame's address. */
struct StackFrame *fc_stack_begin_sample(FcStack *stack, const struct FcCallSite *callee,
                                         guint64 exit_word, guint64 time, guint64 weight);
/* To be called when a frame was opened within a burst, and when one was closed that was never off
 * the CPU. */
void fc_stack_enter_in_burst(FcStack *stack);
void fc_stack_leave_in_burst(FcStack *stack);
/* libfc ended the burst.  From here on calls in its frame may make no record. */
void fc_stack_cut_burst(FcStack *stack);

/* Takes the record of a counter that reached zero without a timed call, or of a call for which
 * there was no counter.  It stands for `weight` times.  `calls`: how many calls no counter has.
 * `deep`: they are deeper than FC_DEPTH. */
void fc_stack_count_call(FcStack *stack, const FcStackCall *call);
