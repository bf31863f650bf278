/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports stacks other than the threads' own.  fcmanager needs them to tell a switch to another
 * stack from a jump out of frames.
 */
#pragma once

#include <stdint.h>

/* Finds the real functions that stacks.c interposes.  Called once, at start. */
void fc_stacks_setup(void);

/* Records that frames are left without their exit hooks: the stack is cut back to `address`.
 * Must be called on the stack that is left.  Async-signal-safe. */
void fc_stacks_record_jump(uint64_t address);
