/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records the program's calls of MPI functions as calls of profiled functions.
 */
#pragma once

/* If the MPI library is loaded, redirects the calls of its functions by the objects that are loaded
 * now, unless FC_MPI=0.  Called once, at start, by a constructor; signals blocked. */
void fc_mpi_setup(void);
