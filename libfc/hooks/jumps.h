/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jumps out of frames: longjmp and its variants, and C++ exceptions.
 */
#pragma once

/* Finds libc's longjmp and its variants.  Called once, at start. */
void fc_jumps_setup(void);
