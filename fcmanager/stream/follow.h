/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Follows a process that is not the manager's child until it ends.  Used by source.c.
 */
#pragma once

#include "libfc/fc-format.h"
#include "profile/fc-profile.h"

typedef struct
{
    gint pid;           /* in the manager's PID namespace; 0: not known, it may live for ever */
    int fd;             /* pidfd, readable when the process is dead; -1: ask from time to time */
    guint64 start_time; /* as in /proc/PID/stat, tells the process from a later one with its number;
                           0: not known */
} FcFollow;

/* Follows process `pid` of the manager's PID namespace.  FALSE: there is no such process any
 * more. */
gboolean fc_follow_begin(FcFollow *follow, gint pid);
/* Follows the process that sent `hello` through `pipe_fd`, as the kernel identifies it:
 * FC_HELLO_SIGNED.  FALSE: it is dead. */
gboolean fc_follow_begin_hello(FcFollow *follow, int pipe_fd, guint64 key,
                               const struct FcHello *hello);
void fc_follow_end(FcFollow *follow);

/* Signals `what`, FC_FOLLOWED or FC_ANSWERED, to a process, or takes it back.  FALSE: the kernel
 * refuses, or a process has locked that byte. */
gboolean fc_follow_signal(int pipe_fd, guint64 key, gint64 what, gboolean is_so);
/* Whether that would succeed now. */
gboolean fc_follow_can_signal(int pipe_fd, guint64 key, gint64 what);

/* Whether the process is still alive. */
gboolean fc_follow_is_alive(const FcFollow *follow);
/* Whether both are one living process, such as before and after an exec. */
gboolean fc_follow_is_same(const FcFollow *one, const FcFollow *other);

/* How the dead process ended, if the system still knows. */
gboolean fc_follow_result(const FcFollow *follow, FcProfileEnd *end, gint *value);
