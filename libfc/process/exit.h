/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of the profiled process.
 */
#pragma once

/* Has libc call us at exit.  Once, at start. */
void fc_exit_setup(void);

/* Tells fcmanager with which status the process is about to end. */
void fc_exit_send_status(int status);
