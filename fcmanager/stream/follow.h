/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Observes a process that is not the manager's child until it ends.  Used by source.c.
 */
#pragma once

#include "libfc/fc-format.h"
#include "profile/fc-profile.h"

typedef struct
{
    gint pid;           /* in the manager's PID namespace; 0: not known, so it counts as alive */
    int fd;             /* pidfd, readable when the process is dead; -1: none, so poll */
    guint64 start_time; /* from /proc/PID/stat: another process may get the same PID later;
                           0: not known */
} FcFollow;

/* Follows process `pid` of the manager's PID namespace until fc_follow_end.  FALSE: there is no
 * such process any more. */
gboolean fc_follow_begin(FcFollow *follow, gint pid);
/* Follows the process `key` that sent `hello` through `pipe_fd` until fc_follow_end.  The kernel
 * says which process that is: see FC_HELLO_SIGNED.  FALSE: it is dead. */
gboolean fc_follow_begin_hello(FcFollow *follow, int pipe_fd, guint64 key,
                               const struct FcHello *hello);
void fc_follow_end(FcFollow *follow);

/* Signals `what`, FC_FOLLOWED or FC_ANSWERED, to process `key` by a lock of a byte of the pipe;
 * `is_so` FALSE: removes the signal.  FALSE: the kernel refuses, or a process has locked that
 * byte. */
gboolean fc_follow_signal(int pipe_fd, guint64 key, gint64 what, gboolean is_so);
/* Whether fc_follow_signal would succeed now. */
gboolean fc_follow_can_signal(int pipe_fd, guint64 key, gint64 what);

/* Whether the process is still alive. */
gboolean fc_follow_is_alive(const FcFollow *follow);
/* Whether both are one living process, such as before and after an exec. */
gboolean fc_follow_is_same(const FcFollow *one, const FcFollow *other);

/* Sets *end and *value to how the dead process ended.  FALSE: the kernel does not know any
 * more. */
gboolean fc_follow_result(const FcFollow *follow, FcProfileEnd *end, gint *value);
