/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which process this is, whether it is profiled now, and how to stop profiling for good.
 * Async-signal-safe and thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The process key, which identifies this process in the stream: pid << 32 | a number that makes
 * it unique.  0 before the start. */
extern uint64_t fc_state_key __attribute__((visibility("hidden")));

/* True before the start, after the end and after fc_state_stop. */
bool fc_state_is_off(void);

/* Whether the calling thread's further records don't matter to the profile: another thread is
 * ending the process, or has. */
bool fc_state_has_ended(void);

/* Switches profiling off for good and prints `reason` once; NULL: prints nothing.  The program
 * goes on as if it were not profiled. fc_channel_stop also tells fcmanager, so that the profile
 * says it. */
void fc_state_stop(const char *reason);

/* The same because fcmanager is gone.  Printed even with FC_QUIET, since there will be no
 * profile. */
void fc_state_stop_alone(void);

/* Whether the calling process is the one of fc_state_key.  The child of a vfork has its parent's
 * memory, including this key, but is not profiled. */
bool fc_state_is_own_process(void);

/* Whether this process was forked without libfc's noticing.  All state of such a child is its
 * parent's until fc_process_after_fork. */
bool fc_state_forked_unseen(void);
void fc_state_fork_is_seen(void);
/* Sets up what detects that, where the kernel can.  Called once, at start. */
void fc_state_make_fork_mark(void);

/* ---- For start.c and exit.c: the way from one state to the next ------------------ */

/* True for the one caller that is to start profiling, which then calls fc_state_started. */
bool fc_state_claim_start(void);
void fc_state_started(bool good);

/* Switches profiling off for every thread but the calling one, which ends the process.  False:
 * it is off already, or another thread ends the process. */
bool fc_state_ending(void);
/* Switches it off for that thread as well. */
void fc_state_ended(void);
