/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Forks: fork, _Fork, clone and the system calls.
 */
#pragma once

/* Registers libfc's functions for libc's forks.  Called once, at start. */
void fc_forks_setup(void);
