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
    gint manager; /* its number in /proc */
    gint pipe_fd; /* there */
    guint64 device;
    guint64 inode;
} FcControlTarget;

/* Whose the process is.  The caller unrefs the groups.  FALSE and *error, which names the process:
 * there is none, or it is a thread of another. */
gboolean fc_control_find_user(gint pid, FcControlUser *user, GError **error);

/* FALSE and *error: it is not profiled, or is none of ours. */
gboolean fc_control_find(gint pid, FcControlTarget *target, GError **error);

/* The pipe to its manager, for writing; -1 and *error.  The caller closes it. */
int fc_control_open(const FcControlTarget *target, GError **error);
