/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The life of the profiled process: start, fork, exit, and the off switch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Names this process in the stream; pid << 32 | something that makes it unique. */
extern uint64_t fc_process_key __attribute__((visibility("hidden")));

/* Starts profiling if that has not been tried yet.  True while it is on.  Called by
 * the constructor, or by the first record where that comes earlier. */
bool fc_process_start(void);

/* True before the start, after the end and after fc_process_stop. */
bool fc_process_is_off(void);

/* Switches profiling off for good and tells the user why, once; the program goes on as if
 * it were not profiled.  Async-signal-safe. */
void fc_process_stop(const char *reason);

/* Whether this process came to be by a fork that ran no fork handlers. */
bool fc_process_forked_unseen(void);

/* In a forked child: joins the session as a process of its own, or goes off where
 * forks are not profiled.  `token` is that of the parent's FC_MSG_FORK, 0 where it had no chance
 * to send one.  Signals blocked. */
void fc_process_after_fork(uint64_t token);

/* Tells fcmanager with which status the process is about to end. */
void fc_process_send_status(int status);
