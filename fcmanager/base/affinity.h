/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processors that the manager or another process may use.  An MPI launcher binds each rank to
 * some processors.  The manager of that rank should run on others.  Called by main.c and machine.c.
 */
#pragma once

#include <glib.h>
#include <sched.h>

#define FC_AFFINITY_MOST 8192u /* processors that Linux is built for at most */

typedef struct
{
    cpu_set_t sets[FC_AFFINITY_MOST / CPU_SETSIZE];
} FcAffinity;

/* Reads which processors process `pid` may use now; 0: this one.  FALSE: not known. */
gboolean fc_affinity_read(gint pid, FcAffinity *affinity);
/* `processor` must be below FC_AFFINITY_MOST. */
gboolean fc_affinity_has(const FcAffinity *affinity, guint processor);

/* The processors that this process may use now, as "0-3,8"; NULL: not known.  The caller frees
 * it. */
char *fc_affinity_list(void);

/* Lets this process use all processors that its control group allows. */
void fc_affinity_widen(void);
