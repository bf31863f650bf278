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

/* Takes an exit of a function that may not be the innermost frame's.  `tail`: the hook was
 * tail-called, so it ran on the frame of the function's caller and returned to the call site.
 * Other hooks run on the frame of their function, unless that moved the stack pointer (alloca). */
void fc_stack_repair_exit(FcStack *stack, guint64 function, guint64 address, gboolean tail,
                          guint64 time);

/* Takes the exit of a call by its address and site.  It is not the innermost frame, or not the only
 * one there: a function that it tail-called has the same address and site, and ends with it. */
void fc_stack_repair_exit_at(FcStack *stack, guint64 address, guint64 site, guint64 time);

/* Closes the frames below `address`, which a jump left without their exits. */
void fc_stack_jump(FcStack *stack, guint64 address, guint64 time);
