/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_MEMORY_SCAN: searches the process's memory at its end for references to blocks that were not
 * freed.
 */
#pragma once

/* Runs the search if FC_MEMORY_SCAN is set.  Called before FC_MSG_QUIT by the thread that ends
 * the process, with all signals blocked.  Stops the other threads meanwhile.  If that fails, or
 * nothing can be scanned, the profile says so.  `manager_pid` is the pid of fcmanager, which has
 * the list of blocks. */
void fc_scan_run(int manager_pid);
