/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Repairs what jumps, throws and missing exits did to a thread's open frames, as the next record
 * shows it.  For stack.c; repairs are counted in the FcCounts.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* To be called before an entry at `address`, which is not below the innermost frame's. */
void fc_stack_repair_entry(FcStack *stack, guint64 function, guint64 site, guint64 address,
                           guint16 return_bits, guint64 time);

/* The exit of a function that is not (clearly) that of the innermost frame.  An exit hook that
 * was tail-called, so that it returns to the call site, ran on its caller's frame; any other ran
 * on the frame of its function, unless that moved the stack pointer (alloca). */
void fc_stack_repair_exit(FcStack *stack, guint64 function, guint64 address, gboolean tail,
                          guint64 time);

/* The exit of a call that was entered at its address and returns to its site, but is not the
 * innermost frame, or not that alone: a function that it tail-called took its place, and returns
 * with it. */
void fc_stack_repair_exit_at(FcStack *stack, guint64 address, guint64 site, guint64 time);

/* Frames below `address` were left without their exits. */
void fc_stack_jump(FcStack *stack, guint64 address, guint64 time);
