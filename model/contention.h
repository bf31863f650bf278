/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the times off the CPU say of the threads: who only waits, what several wait in, and how much
 * others had their processors.  Pure computation on a model; never prints.
 */
#pragma once

#include "model/model.h"

typedef struct
{
    guint threads;        /* whose times off the CPU are known */
    guint64 run_ns;       /* of them together */
    guint64 preempted_ns; /* of it: other threads ran, of any program */
    guint idle;           /* threads that waited nearly all of their time */
    GPtrArray *names;     /* const char *, of some of these; the model's */
    /* The function that threads which are not idle waited in most, two of them at least; FC_NONE:
     * there is none. */
    gint function;
    guint waiting;       /* so many threads did */
    guint64 wait_ns;     /* so long together, of */
    guint64 busy_run_ns; /* the time of all that are not idle */
} FcContention;

#define FC_CONTENTION_IDLE 0.9 /* of an idle thread's time, at least, it waits */

/* Whether that thread, of which its times off the CPU are known, is one. */
gboolean fc_contention_is_idle(const FcProfileThread *thread);

/* The caller owns the result. */
FcContention *fc_contention_new(const FcModel *model);
void fc_contention_free(FcContention *contention);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcContention, fc_contention_free)
