/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles of processes that continue to run.  The manager copies what is in the threads' chunks
 * and forks a child, which has all that the manager knows.  The child closes the open frames of its
 * copy and writes the profile.  The manager waits for nothing; the programs do not wait.  Used by
 * session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* Called in the child: writes or sends the profile, which it may change.  FALSE: that failed. */
typedef gboolean (*FcSnapshotWrite)(FcProcess *process, FcProfile *profile, gpointer data);

typedef struct
{
    FcProcessSetup *common;     /* the session's */
    const char *unique_id;      /* the session's */
    const GPtrArray *processes; /* FcProcess: not finished ones */
    /* called in the child: gives up what only the manager may use */
    void (*forked)(gpointer source);
    gpointer source;
    FcSnapshotWrite write;
    gpointer data;
} FcSnapshotOrder;

typedef struct
{
    guint64 taken;
    gint64 spent_us;        /* time on a processor of children that have ended, and what the manager
                               waited */
    gint64 blocked_us;      /* how long the manager waited for the last snapshot */
    gint64 blocked_most_us; /* the longest of these times */
    GArray *children;       /* pid_t: children that are at work */
} FcSnapshots;

void fc_snapshots_init(FcSnapshots *snapshots);
/* Frees the list.  Children that are at work go on. */
void fc_snapshots_clear(FcSnapshots *snapshots);

/* Takes a snapshot.  The pipe must have been read before.  FALSE and *error: there is none. */
gboolean fc_snapshots_take(FcSnapshots *snapshots, const FcSnapshotOrder *order, GError **error);

/* To be called now and then: forgets children that have ended.  `waits`: waits for all of them.
 * Returns how many of them failed. */
guint fc_snapshots_reap(FcSnapshots *snapshots, gboolean waits);
