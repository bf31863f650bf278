/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the exec family and posix_spawn.  They pass the session on to the new
 * image.
 */
#pragma once

/* Finds libc's own functions.  Called once, at start. */
void fc_exec_setup(void);
