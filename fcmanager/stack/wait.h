/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A wait of a thread, as the manager's samples saw it.
 */
#pragma once

#include "fcmanager/estimate/unwind.h"
#include "profile/fc-profile.h"

typedef struct
{
    guint64 time;  /* of the first sample */
    guint64 turns; /* how often the thread had been given a CPU; tells waits apart */
    guint64 ns;    /* what all samples of the wait stand for */
    FcWaitKind kind;
    const FcUnwindFrame *frames; /* the thread's, innermost first */
    guint depth;                 /* their number; 0: they are not known */
} FcStackWait;
