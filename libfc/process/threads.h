/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Start and end of the program's threads, as fcmanager gets to know them.  All functions: signals
 * blocked by the caller, unless they say otherwise.
 */
#pragma once

/* Creates the key whose destructor reports a thread's end.  Called once, at start. */
void fc_threads_setup(void);

/* Announces the calling thread to fcmanager. */
void fc_threads_start(void);

/* Gives away what the calling thread has recorded and tells fcmanager that it ends.  If it makes
 * more records, they count as those of a new thread.  Blocks signals itself. */
void fc_threads_end(void);

/* In a forked child: the calling thread is the first of a new process. */
void fc_threads_after_fork(void);

/* Sends the calling thread's current name. */
void fc_threads_send_name(void);
