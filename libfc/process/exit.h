/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports the end of the profiled process.
 */
#pragma once

/* Registers libfc's functions for the end of the process.  Called once, at start. */
void fc_exit_setup(void);

/* Tells fcmanager the status with which the process is about to end. */
void fc_exit_send_status(int status);
