/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long threads have waited so far, of which no record tells until they go on: for what is to be
 * known of them should they be killed.  Called by process-messages.c.
 */
#pragma once

#include "fcmanager/process.h"

/* Asks the kernel.  From time to time: asks for some only where there are many, and does nothing
 * where the last time is not long ago. */
void fc_process_look_at_waits(FcProcess *process);
