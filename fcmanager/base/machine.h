/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How busy the processors are that a process may use: from /proc/stat (proc_stat(5)), whose unit is
 * mostly 10 ms.  A profile has the difference between the process's start and its end, so that a
 * reader knows whether others kept its threads from running.  Not for several threads at a time.
 */
#pragma once

#include "fcmanager/base/affinity.h"

#include <glib.h>

typedef struct
{
    guint processors; /* that the process may use; 0: nothing is known */
    guint64 booted_s; /* when the machine booted, since the epoch */
    guint64 used_ns;  /* how long they were in use since then, all together, without fcmanager */
    guint64 own_ns;   /* CPU time of the process; 0: it is gone */
} FcMachine;

/* `pid`: as the manager knows the process.  Sets *may_use to the processors that it may use; if it
 * is gone, they are those that are in there. */
FcMachine fc_machine_read(gint pid, FcAffinity *may_use);
