/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Work that threads share unevenly: threads of one process that run the same function at the same
 * time.  Pure computation on a model; never prints.
 */
#pragma once

#include "model/model.h"

typedef struct
{
    gint function;      /* their outermost one; FC_NONE: there is no such work */
    guint threads;      /* so many share it */
    guint64 cpu_ns;     /* all together */
    guint64 busiest_ns; /* one of them */
    guint64 saved_ns;   /* how much sooner it would have ended with equal shares */
} FcBalance;

/* The work with the largest saved_ns. */
FcBalance fc_balance_of(const FcModel *model);
