/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Samples where threads execute, for programs with counters of entries (entries.h), if the kernel
 * does not let fcmanager do it: a timer for each thread, of its time on the CPU, and a signal
 * handler that sends the registers and the top of the stack.
 */
#pragma once

/* Timers are to be used from now on.  Signals blocked, as for all of these. */
void fc_entry_timer_allow(void);
/* Begins and ends the sampling of the calling thread, if timers are used. */
void fc_entry_timer_begin(void);
void fc_entry_timer_end(void);
/* In a forked child, which has no timer of its parent's. */
void fc_entry_timer_leave(void);
