/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processors that the manager may use.  An MPI launcher binds each rank to some processors.
 * The manager of that rank should run on others.  Called by main.c.
 */
#pragma once

#include <glib.h>

/* The processors that this process may use now, as "0-3,8"; NULL: not known.  The caller frees
 * it. */
char *fc_affinity_list(void);

/* Lets this process use all processors that its control group allows. */
void fc_affinity_widen(void);
