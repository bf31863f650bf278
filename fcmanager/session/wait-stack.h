/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the calls that led a thread into a wait, from a copy of its stack.  On x86-64 only; needs
 * the right to trace the process.  Called by process.c.
 */
#pragma once

#include "fcmanager/estimate/unwind.h"
#include "fcmanager/session/proc-thread.h"

#define FC_WAIT_STACK_FRAMES 32u

/* Fills `frames`, innermost first, for a thread that waits; `found` has its registers.  Returns
 * their number; 0: they can't be known.  *unwinder is that of process `pid`; if it is NULL, it is
 * made, unless there are many already. */
guint fc_wait_stack_read(FcUnwinder **unwinder, gint pid, gint64 tid, const FcProcThread *found,
                         FcUnwindFrame *frames);
/* Frees that unwinder, if there is one. */
void fc_wait_stack_forget(FcUnwinder **unwinder);
