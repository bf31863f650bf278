/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports the start and end of the program's threads to fcmanager.  The caller of each function has
 * signals blocked, unless it says otherwise.
 */
#pragma once

/* Creates the key whose destructor reports a thread's end.  Called once, at start. */
void fc_threads_setup(void);

/* Announces the calling thread to fcmanager. */
void fc_threads_start(void);

/* Sends what the calling thread has recorded, and its end.  If the thread makes more records,
 * they belong to a new thread.  Blocks signals itself. */
void fc_threads_end(void);

/* In a forked child: the calling thread is the first of a new process. */
void fc_threads_after_fork(void);

/* Sends the calling thread's current name. */
void fc_threads_send_name(void);
