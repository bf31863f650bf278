/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stacks beside the threads' own: what tells a switch to another stack from a jump
 * out of frames.
 */
#pragma once

#include <stdint.h>

/* Finds libc's functions that stacks.c interposes.  Once, at start. */
void fc_stacks_setup(void);

/* Records that frames are left without their exits, as the thread goes on with the stack cut
 * back to `address`.  To be called on the stack that is left.  Async-signal-safe. */
void fc_stacks_record_jump(uint64_t address);
