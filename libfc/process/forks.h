/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ways in which a process comes to be: fork, _Fork, clone and the system calls.
 */
#pragma once

/* Has libc call us at its forks.  Once, at start. */
void fc_forks_setup(void);
