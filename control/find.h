/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the profile manager of a running program by the mark that libfc puts into the program's
 * memory map (libfc/process/join.c).  For control.c.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct
{
    uid_t uid;
    gid_t gid;
    GArray *groups; /* gid_t */
} FcControlUser;

typedef struct
{
    gint pid;
    gint manager; /* its pid in /proc */
    gint pipe_fd; /* its descriptor of the pipe */
    guint64 device;
    guint64 inode;
} FcControlTarget;

/* Finds the user of the process.  The caller unrefs the groups.  FALSE and *error, which names
 * the process: there is no such process, or it is a thread of another process. */
gboolean fc_control_find_user(gint pid, FcControlUser *user, GError **error);

/* Finds the manager of process `pid`.  FALSE and *error: the process is not profiled, or can't
 * be asked. */
gboolean fc_control_find(gint pid, FcControlTarget *target, GError **error);

/* Opens the pipe to the manager for writing.  The caller closes it.  -1 and *error: it failed. */
int fc_control_open(const FcControlTarget *target, GError **error);
