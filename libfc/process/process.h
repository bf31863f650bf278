/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Introduces this process to fcmanager, at the start and after a fork.
 */
#pragma once

#include "libfc/fc-format.h"
#include "libfc/process/spawn.h"

#include <stdbool.h>
#include <stdint.h>

/* Filled in by start.c. */
extern struct FcSession fc_session __attribute__((visibility("hidden")));

/* Makes the process key, and the mark by which state.h detects forks.  Called once, at start. */
void fc_process_setup(void);

/* Completes and sends `hello`, then sends the executable, the folder and the command line. */
void fc_process_introduce(struct FcHello *hello);

/* Reports that the program is about to run.  Called after the hello.  `overhead` NULL: it was
 * not measured. */
void fc_process_send_started(const struct FcOverhead *overhead);

/* In a forked child: joins the session as a new process, or switches profiling off if forks are
 * not profiled.  `token` is that of the parent's FC_MSG_FORK; 0: the parent has sent none.
 * Begins a pause (switches.h), which the caller ends.  Signals blocked. */
void fc_process_after_fork(uint64_t token);
