/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles of processes that go on.  A forked child of the manager has all that the manager knows,
 * and copies what the processes' threads have in their chunks now; it closes the open frames of its
 * copy and writes.  The manager waits only until the chunks are copied; the programs do not wait.
 * Used by session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* In the child: does with the profile what it is for.  FALSE: that failed. */
typedef gboolean (*FcSnapshotWrite)(FcProcess *process, const FcProfile *profile, gpointer data);

typedef struct
{
    FcProcessSetup *common;          /* of the session, */
    const char *unique_id;           /* and its name */
    const GPtrArray *processes;      /* FcProcess: not finished ones */
    void (*forked)(gpointer source); /* in the child: gives up what is the manager's alone */
    gpointer source;
    FcSnapshotWrite write;
    gpointer data;
} FcSnapshotOrder;

typedef struct
{
    guint64 taken;
    gint64 blocked_us;      /* how long the manager waited for the last one, */
    gint64 blocked_most_us; /* and at most */
    GArray *children;       /* pid_t: those that are at work */
} FcSnapshots;

void fc_snapshots_init(FcSnapshots *snapshots);
/* Lets children that are at work go on. */
void fc_snapshots_clear(FcSnapshots *snapshots);

/* What came through the pipe so far must have been read.  FALSE and *error: there is none. */
gboolean fc_snapshots_take(FcSnapshots *snapshots, const FcSnapshotOrder *order, GError **error);

/* To be called now and then: forgets children that are done.  `waits`: waits for all of them.
 * Returns how many of them failed. */
guint fc_snapshots_reap(FcSnapshots *snapshots, gboolean waits);
