/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Following a process that is not our child to its end.  Used by source.c.
 */
#pragma once

#include "libfc/fc-format.h"
#include "profile/fc-profile.h"

typedef struct
{
    gint pid;           /* in our own PID namespace; 0: not known, it may be alive for ever */
    int fd;             /* pidfd, readable when it is dead; -1: to be asked */
    guint64 start_time; /* as in /proc/PID/stat, tells it from a later one; 0: not known */
} FcFollow;

/* Process `pid` of our own PID namespace.  FALSE where there is no such process any more. */
gboolean fc_follow_begin(FcFollow *follow, gint pid);
/* The process that sent `hello` through `pipe_fd`, by what the kernel says of it: FC_HELLO_SIGNED.
 * FALSE where it is dead. */
gboolean fc_follow_begin_hello(FcFollow *follow, int pipe_fd, guint64 key,
                               const struct FcHello *hello);
void fc_follow_end(FcFollow *follow);

/* Tells a process `what`, FC_FOLLOWED or FC_ANSWERED; or takes it back.  FALSE where the kernel
 * refuses, or a process has locked that byte. */
gboolean fc_follow_signal(int pipe_fd, guint64 key, gint64 what, gboolean is_so);
/* Whether it would, as things are. */
gboolean fc_follow_can_signal(int pipe_fd, guint64 key, gint64 what);

/* Whether it is still alive. */
gboolean fc_follow_is_alive(const FcFollow *follow);
/* Whether both are one living process, as before and after an exec. */
gboolean fc_follow_is_same(const FcFollow *one, const FcFollow *other);

/* How the dead process ended, where the system still knows. */
gboolean fc_follow_result(const FcFollow *follow, FcProfileEnd *end, gint *value);
