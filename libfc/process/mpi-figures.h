/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Figures of MPI, for what sends them; the stubs' part is in mpi-calls.h.
 */
#pragma once

/* Sends the figures of MPI that are in private memory, if there are any, as they are now.  Called
 * at the end of the process and before a pause; signals blocked. */
void fc_mpi_send_private(void);
