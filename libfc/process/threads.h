/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Start and end of the program's threads, as fcmanager is told of them.  All functions: signals
 * blocked by the caller, unless it says otherwise.
 */
#pragma once

/* Creates the key whose destructor tells of a thread's end.  Once, at start. */
void fc_threads_setup(void);

/* Makes the calling thread known to fcmanager. */
void fc_threads_start(void);

/* Gives away what the calling thread has recorded and tells fcmanager that it ends.  Records that
 * it makes all the same count as those of a new thread.  Blocks signals itself. */
void fc_threads_end(void);

/* In a forked child: the calling thread is the first of a new process. */
void fc_threads_after_fork(void);

/* Sends the calling thread's name, as it is now. */
void fc_threads_send_name(void);
