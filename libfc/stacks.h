/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stacks beside the threads' own: what tells a switch to another stack from a jump
 * out of frames.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdint.h>

/* Finds libc's makecontext and sigaltstack.  Once, at start. */
void fc_stacks_setup(void);

/* Records that the thread goes on at `address`, by FC_RECORD_SWITCH or FC_RECORD_JUMP.
 * Async-signal-safe. */
void fc_stacks_record(enum FcRecordKind kind, uint64_t address);

/* Finds libc's longjmp and its kin.  Once, at start. */
void fc_jumps_setup(void);
