/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This process as a member of its session: how it introduces itself to fcmanager, at the start
 * and after a fork.
 */
#pragma once

#include "libfc/fc-format.h"
#include "libfc/process/spawn.h"

#include <stdbool.h>
#include <stdint.h>

/* Filled in by start.c. */
extern struct FcSession fc_session __attribute__((visibility("hidden")));

/* Makes the process key, and the mark of state.h.  Once, at start. */
void fc_process_setup(void);

/* Sends `hello`, completed here, and what else fcmanager is to know of the process. */
void fc_process_introduce(struct FcHello *hello);

/* Behind that, when all is done that comes before the program runs.  `overhead`: NULL where they
 * were not measured. */
void fc_process_send_started(const struct FcOverhead *overhead);

/* In a forked child: joins the session as a process of its own, or goes off where
 * forks are not profiled.  `token` is that of the parent's FC_MSG_FORK, 0 where it had no chance
 * to send one.  What the thread does then is a pause (switches.h) until the caller ends it. Signals
 * blocked. */
void fc_process_after_fork(uint64_t token);
