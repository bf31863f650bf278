/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This process as a member of its session: how it says hello to fcmanager, at the start and after
 * a fork.
 */
#pragma once

#include "libfc/fc-format.h"
#include "libfc/process/spawn.h"

#include <stdbool.h>
#include <stdint.h>

/* Filled in by start.c. */
extern struct FcSession fc_session __attribute__((visibility("hidden")));

/* Makes the process key, and sets up what state.h detects forks by.  Called once, at start. */
void fc_process_setup(void);

/* Completes and sends `hello`, and what else fcmanager needs to know of the process. */
void fc_process_introduce(struct FcHello *hello);

/* Follows the hello when the program is about to run.  `overhead` NULL: it was not measured. */
void fc_process_send_started(const struct FcOverhead *overhead);

/* In a forked child: joins the session as a new process, or switches profiling off if forks are
 * not profiled.  `token` is that of the parent's FC_MSG_FORK, 0 if the parent could not send
 * one.  What the thread does then is a pause (switches.h) until the caller ends it.  Signals
 * blocked. */
void fc_process_after_fork(uint64_t token);
