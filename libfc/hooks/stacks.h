/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stacks other than the threads' own, which make the difference between a switch to another stack
 * and a jump out of frames.
 */
#pragma once

#include <stdint.h>

/* Finds libc's functions that stacks.c interposes.  Called once, at start. */
void fc_stacks_setup(void);

/* Records that frames are left without their exits: the stack is cut back to `address`.  To be
 * called on the stack that is left.  Async-signal-safe. */
void fc_stacks_record_jump(uint64_t address);
