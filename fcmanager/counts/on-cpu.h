/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether another process's thread runs just now, as the kernel's scheduler says.
 *
 * "R" in /proc/PID/task/TID/status is said of a thread that is preempted as well.  But the kernel
 * counts how often it was given a CPU (the third number in schedstat; Linux's documentation,
 * scheduler/sched-stats) and how often that was taken from it (the two ..._switches in status): the
 * first is one more while it has one.  Where schedstat is not to be had, or counts nothing, a
 * thread that is ready to run counts as running.
 */
#pragma once

#include <glib.h>

typedef struct
{
    int status; /* descriptors; -1: there is none */
    int schedstat;
    guint64 ran; /* ns that the thread had been on a CPU when it was asked for last */
} FcOnCpu;

/* FALSE where there is no such thread.  Takes two descriptors until it is closed. */
gboolean fc_on_cpu_open(FcOnCpu *on_cpu, gint pid, gint64 tid);
void fc_on_cpu_close(FcOnCpu *on_cpu);

/* `most` where the thread is on a CPU now; where it is preempted, which may be for the caller's
 * sake, the us that it ran since this was asked last, up to `most`; 0 where it waits, or is no
 * more. */
double fc_on_cpu_us(FcOnCpu *on_cpu, double most);
