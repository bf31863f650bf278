/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What jumps, throws and missing exits did to a thread's open frames, as the next record shows it.
 * For stack.c; what is repaired is counted in the FcCounts.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* Before an entry at `address`, which is not below the innermost frame's. */
void fc_stack_repair_entry(FcStack *stack, guint64 function, guint64 site, guint64 address,
                           guint16 return_bits, guint64 time);

/* The exit of a function that is not (clearly) the innermost frame's.  An exit hook that was
 * tail-called, so that it returns to the call site, ran on its caller's frame; any other ran
 * on the frame of its function, unless that moved the stack pointer (alloca). */
void fc_stack_repair_exit(FcStack *stack, guint64 function, guint64 address, gboolean tail,
                          guint64 time);

/* The exit of what was entered at its address and returns to its site, but not from the innermost
 * frame, or not from that alone: what a function tail-called took its place, and returns with it.
 */
void fc_stack_repair_exit_at(FcStack *stack, guint64 address, guint64 site, guint64 time);

/* Frames were left without their exits: those below `address`. */
void fc_stack_jump(FcStack *stack, guint64 address, guint64 time);
