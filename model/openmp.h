/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contexts of OpenMP's worker threads.  A worker's stack begins with the code that the compiler
 * made of a parallel region, or with what that calls, so it would be a root of the tree.  Pure
 * computation.
 */
#pragma once

#include "model/model.h"

/* Puts such roots below the function that has the region: where the thread that began it has the
 * same function, or the same call.  Where that are several contexts, each gets a share by its
 * calls.  Totals of what is above them get the workers' times, too.  To be called after the times
 * were chosen, before the model's functions and graph are made. */
void fc_openmp_place(FcModel *model);
