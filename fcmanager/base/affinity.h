/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The processors that the manager may use.  A launcher binds each rank to some, of which the
 * manager is to take none from it.  Called by main.c.
 */
#pragma once

#include <glib.h>

/* Those that this process may use, as "0-3,8", as it was started; NULL: not known.  The caller
 * frees it. */
char *fc_affinity_list(void);

/* Lets this process use all that it is allowed to. */
void fc_affinity_widen(void);
