/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a thread of another process is running now, according to the kernel's scheduler.
 *
 * "R" in /proc/PID/task/TID/status is also shown for a preempted thread.  But the kernel counts
 * how often a thread was given a CPU (the third number in schedstat; Linux's documentation,
 * scheduler/sched-stats), and how often that was taken away (the two ..._switches in status).  The
 * first number is one more while the thread has a CPU.  Where schedstat is missing or counts
 * nothing, a thread that is ready counts as running.
 */
#pragma once

#include <glib.h>

typedef struct
{
    int status; /* descriptors; -1: there is none */
    int schedstat;
    guint64 ran; /* ns that the thread had run when it was last asked for */
} FcOnCpu;

/* Opens two descriptors, which fc_on_cpu_close closes.  FALSE: there is no such thread. */
gboolean fc_on_cpu_open(FcOnCpu *on_cpu, gint pid, gint64 tid);
void fc_on_cpu_close(FcOnCpu *on_cpu);

/* How many us a sample of the thread stands for.  `most` if the thread is on a CPU now.  If it is
 * preempted, possibly by the caller: the us that it ran since the last call, at most `most`.  -1:
 * it waits or has ended. */
double fc_on_cpu_us(FcOnCpu *on_cpu, double most);
