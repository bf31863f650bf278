/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frames of functions whose calls are counted.  For stack.c, which finds the segment and
 * repairs what was left before; not the hot path.
 *
 * A call that is timed opens a frame and, until that is closed or libfc ends it, a sampling burst:
 * all is recorded there, so that the caller of each call is certain.
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

/* `function` is counted from `time` on: of its frames the outermost stays.  The others end without
 * an exit of their own, each where the next one that stays begins.  `nested`: only calls within
 * another one are counted. */
void fc_stack_begin_counting(FcStack *stack, guint64 function, guint64 time, gboolean nested);

/* A call that is timed: opens a frame, whose address is to be set, and a burst. */
struct StackFrame *fc_stack_begin_sample(FcStack *stack, const struct FcCallSite *callee,
                                         guint64 exit_word, guint64 time, guint64 weight);
/* In a burst a frame was opened; or the innermost one closed, which was never off the CPU. */
void fc_stack_enter_in_burst(FcStack *stack);
void fc_stack_leave_in_burst(FcStack *stack);
/* The burst was ended: what follows in its frame may call without a record. */
void fc_stack_cut_burst(FcStack *stack);

/* A counter had run down here without a sample, which stands for `weight` times, or there is none:
 * `calls` are not in it.  `deep`: it is of calls deeper than FC_DEPTH. */
void fc_stack_count_call(FcStack *stack, const FcStackCall *call);
