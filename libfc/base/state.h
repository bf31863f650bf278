/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every part of libfc asks: which process this is, whether it is profiled now, and how to
 * stop that for good.  Async-signal-safe and thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Names this process in the stream (the process key): pid << 32 | a number that makes it
 * unique.  0 before the start. */
extern uint64_t fc_state_key __attribute__((visibility("hidden")));

/* True before the start, after the end and after fc_state_stop. */
bool fc_state_is_off(void);

/* Whether the profile is complete without the calling thread's further records, as another thread
 * ends the process, or did. */
bool fc_state_has_ended(void);

/* Switches profiling off for good and tells the user `reason`, once; NULL: says nothing.  The
 * program goes on as if it were not profiled.  fc_channel_stop has the profile tell it as well. */
void fc_state_stop(const char *reason);

/* The same because fcmanager is gone: told also with FC_QUIET, as nobody will write the profile. */
void fc_state_stop_alone(void);

/* Whether the calling process is the one that fc_state_key names.  The child of a vfork has its
 * parent's memory, this key included, but is not profiled. */
bool fc_state_is_own_process(void);

/* Whether it came to be by a fork that nobody was told of.  Of such a child all else is still as
 * its parent has it, until fc_process_after_fork. */
bool fc_state_forked_unseen(void);
void fc_state_fork_is_seen(void);
/* What tells of it, where the kernel knows how.  Once, at start. */
void fc_state_make_fork_mark(void);

/* ---- For start.c and exit.c: the way from one state to the next ------------------ */

/* True for the one caller that has to start profiling, and then calls fc_state_started. */
bool fc_state_claim_start(void);
void fc_state_started(bool good);

/* Off for every thread but the calling one, which ends the process.  False where it is off, or
 * another thread ends it. */
bool fc_state_ending(void);
/* Off for that one as well. */
void fc_state_ended(void);
