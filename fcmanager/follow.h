/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Following a process that is not our child to its end.  Used by source.c.
 */
#pragma once

#include "profile/fc-profile.h"

typedef struct
{
    gint pid;
    int fd;             /* pidfd, readable when it is dead; -1: to be asked */
    guint64 start_time; /* as in /proc/PID/stat, tells it from a later one; 0: not known */
} FcFollow;

/* FALSE where there is no such process any more. */
gboolean fc_follow_begin(FcFollow *follow, gint pid);
void fc_follow_end(FcFollow *follow);

/* Whether it is still alive; for those without a pidfd. */
gboolean fc_follow_is_alive(const FcFollow *follow);

/* How the dead process ended, where the system still knows. */
gboolean fc_follow_result(const FcFollow *follow, FcProfileEnd *end, gint *value);
