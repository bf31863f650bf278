/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What /proc says of a thread that may send nothing more itself: how long it has waited, which may
 * last to the end of its process, and its name.  Used by process.c while the process waits for the
 * answer to its quit, and by process-waits.c.
 */
#pragma once

#include "profile/fc-profile.h"

typedef struct
{
    guint64 ahead_ns;  /* the value that an FC_OFF_SEEN record of the thread would have now */
    guint64 turns;     /* how often it was given a CPU */
    guint64 delay_ns;  /* how long it was ready so far while others had the CPUs; 0: not known */
    gboolean is_ready; /* it runs or could: `ahead_ns` is the least that it may be */
    gboolean has_kind;
    FcWaitKind kind;       /* what it waits for */
    guint64 stack_pointer; /* where it entered the kernel; 0: not known */
    guint64 program_counter;
} FcProcThread;

/* Reads all of this for one thread.  FALSE: the thread does not wait, or that can't be known; if
 * it runs, `ahead_ns` and `is_ready` are set.  `delay_ns` is set in any case.
 * Frees *name and sets it to the thread's name, unless that can't be known; the caller owns it. */
gboolean fc_proc_thread_read(gint pid, gint64 tid, char **name, FcProcThread *found);

/* Returns the present value of `turns`; 0: it is not known. */
guint64 fc_proc_thread_turns(gint pid, gint64 tid);
