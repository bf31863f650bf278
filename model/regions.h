/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenMP's parallel regions and tasks by the functions that have them, and how long threads waited
 * for others in the runtime library.  That polls before it sleeps, so waiting looks like time on
 * the CPU or, if it yields, like preemption.  Pure computation.
 */
#pragma once

#include "model/model.h"

/* Whether `name`, a linkage name, is that of a region's code: where the compiler's mark begins in
 * it.  NULL: it is not. */
const char *fc_regions_find_mark(const char *name);

/* Says of the model's functions which are regions (FcFunction.region), and whose.  To be called
 * when the model's functions are made, before their labels. */
void fc_regions_name(FcModel *model);

/* Whether it is a function of an OpenMP runtime library. */
gboolean fc_regions_is_runtime(const FcProfile *profile, const FcProfileFunction *function);

typedef struct
{
    gint function;   /* the runtime's with most of it; FC_NONE: no thread waited */
    guint64 wait_ns; /* in all of them, on the CPU and off, of all threads */
} FcRegionsWait;

/* What begins a region counts as waiting: the thread is there until all others are done. */
FcRegionsWait fc_regions_find_wait(const FcModel *model);
