/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot path: the heaviest chain of calls from the outermost function inwards, and the functions
 * that threads seem to wait in, which would lead it elsewhere.  Made by reports from the model,
 * after the selection; never prints.
 */
#pragma once

#include "model/model.h"

/* A function in one context: that of the steps before it. */
typedef struct
{
    guint function; /* of the model */
    guint64 calls;
    guint64 total_ns; /* the local times of this step and of all that is below it */
    guint64 local_ns;
    gboolean apportioned; /* some of the calls */
} FcHotStep;

/* For each function of the model whether a thread seems to wait in it: nearly all of that thread's
 * time is the function's own, in few calls, while other threads work.  A thread whose waits are
 * known is considered only with FC_TIME_PART_WALL, and if it is idle.  All FALSE if there is one
 * thread.  The caller owns the result. */
gboolean *fc_hot_waiting(const FcModel *model);

/* From the function that is 100%, or else the heaviest that was called first of all, and from each
 * step on to the heaviest of its callees, functions that are not shown passed over and those
 * of `waiting` without weight; it ends where no callee has `least_share` of the first step.  Empty
 * where the profile has no contexts.  The caller owns the result, of FcHotStep. */
GArray *fc_hot_path(const FcModel *model, const gboolean *waiting, double least_share);
