/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the calls that led a thread into a wait, from a copy of its stack.  On x86-64 only; needs
 * the right to trace the process.  Called by process.c.
 */
#pragma once

#include "fcmanager/counts/modules.h"
#include "fcmanager/estimate/unwind.h"
#include "fcmanager/session/proc-thread.h"

#define FC_WAIT_STACK_FRAMES 32u

/* Of one process; initialized with zeros. */
typedef struct
{
    FcUnwinder *unwinder; /* owned; NULL: none yet */
    guint changes;        /* of the modules, that the unwinder knows of */
} FcWaitStack;

/* Fills `frames`, innermost first, for thread `tid`, which waits; `found` has its registers.
 * Returns their number; 0: they can't be known.  Of many processes at once some get none. */
guint fc_wait_stack_read(FcWaitStack *process, const FcModules *modules, gint64 tid,
                         const FcProcThread *found, FcUnwindFrame *frames);
/* Frees what `process` has.  To be called when it has ended. */
void fc_wait_stack_forget(FcWaitStack *process);
