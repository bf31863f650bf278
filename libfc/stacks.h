/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stacks beside the threads' own: what tells a switch to another stack from a jump
 * out of frames.
 */
#pragma once

/* Finds libc's makecontext and sigaltstack.  Once, at start. */
void fc_stacks_setup(void);
