/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records the program's calls of OpenMP's runtime library as calls of profiled functions: those
 * that run a parallel region, and those in which a thread may wait for others.
 */
#pragma once

/* If such a library is loaded (GNU's or LLVM's), redirects the calls of these functions by the
 * objects that are loaded now, unless FC_OPENMP=0.  Called once, at start, by a constructor;
 * signals blocked. */
void fc_openmp_setup(void);
