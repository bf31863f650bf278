/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looks at the end of the process for references to blocks that were not freed, with
 * FC_MEMORY_SCAN.
 */
#pragma once

/* To be called by the thread that ends the process, all signals blocked, before FC_MSG_QUIT.
 * Other threads are stopped meanwhile.  Where that can't be, or nothing is to be looked at, the
 * profile says so.  `manager_pid` names fcmanager, which has the list of blocks. */
void fc_scan_run(int manager_pid);
