/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's shared memory in the manager: which chunks may be read, and giving them back.  The
 * programs can write all of it at any time, so every value is read once and checked. main.c maps
 * it; thread.c, process.c, process-heap.c, process-messages.c and session.c use it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

/* Chunks with a higher index are dropped from the manager's page tables when they are freed.
 * Otherwise a crowd of threads that uses them all once would stay in its resident memory. */
#define FC_SHARED_RESIDENT 128u

typedef struct FcSharedMap FcSharedMap;

/* Maps the memory of descriptor `fd`, which stays the caller's, and must stay open until the
 * memory is unmapped.  NULL and *error: it is not what libfc makes. */
FcSharedMap *fc_shared_map(int fd, GError **error);
/* The same for `memory` that is mapped already, all `bytes` of it.  It becomes the map's. */
FcSharedMap *fc_shared_new(void *memory, gsize bytes, GError **error);
void fc_shared_unmap(FcSharedMap *shared);

/* A chunk, with its header as it was when it was read. */
typedef struct
{
    guint32 index;
    guint32 thread;
    guint32 sequence;
    guint32 generation;
    const struct FcUnit *units;   /* FC_CHUNK_UNITS, which the program can still write; or, in a */
    const struct FcCount *counts; /* chunk of that kind, FC_CHUNK_COUNTS */
    const guint64 *beacon;        /* of a chunk of counts: libfc/beacon.h */
    const guint8 *pages;          /* all of a chunk of entries, with its header */
    gboolean stopped;             /* libfc could not give it away */
} FcChunkView;

/* Takes chunk `index`, which `process` says it gives away.  FALSE: it is not that process's,
 * holds no records, or was taken before.  The manager keeps it until fc_shared_free. */
gboolean fc_shared_take(FcSharedMap *shared, guint32 index, guint64 process, FcChunkView *view);

/* The same for a chunk in which a thread of `process` counts.  The thread goes on counting. */
gboolean fc_shared_take_counts(FcSharedMap *shared, guint32 index, guint64 process,
                               FcChunkView *view);

/* The same for a chunk that has counters of function entries. */
gboolean fc_shared_take_entries(FcSharedMap *shared, guint32 index, guint64 process,
                                FcChunkView *view);

/* All chunks of that kind that `process` owns and that were not taken, ordered by thread and
 * sequence.  This does not take them.  The caller unrefs the array of FcChunkView. */
GArray *fc_shared_owned(FcSharedMap *shared, guint64 process, enum FcChunkKind kind);

/* Frees the chunk for any process. fc_shared_wake wakes those that wait for it. */
void fc_shared_free(FcSharedMap *shared, guint32 index);
/* The same for every chunk that `process` owns, which must be dead. */
void fc_shared_free_all(FcSharedMap *shared, guint64 process);

/* Wakes the threads that wait for a chunk, if any became free.  To be called once for many
 * chunks: a thread that is woken for each chunk soon waits again.  Returns whether any thread
 * waited. */
gboolean fc_shared_wake(FcSharedMap *shared);

/* Whether chunks that were given away bypass the caches, so that reading them later costs
 * nothing. */
gboolean fc_shared_is_streamed(const FcSharedMap *shared);

/* Shows waiting threads that the manager is alive: what was in the pipe a while ago has been
 * read. */
void fc_shared_count_round(FcSharedMap *shared);

/* In a child of the manager, forked for that, makes the map its own: what `processes` (guint64)
 * own, the child has as it is now, whatever the programs and the manager do from then on; other
 * chunks it can't take any more.  Until it returns the manager must free no chunk.  FALSE: there is
 * no memory for it. */
gboolean fc_shared_freeze(FcSharedMap *shared, const GArray *processes);

/* So many chunks are in use, of so many. */
guint32 fc_shared_count_used(const FcSharedMap *shared, guint32 *all);

/* Writes `text` to chunk `index`, where `process` waits for it, and wakes the process.  FALSE:
 * the chunk is not that process's. */
gboolean fc_shared_answer(FcSharedMap *shared, guint32 index, guint64 process, const char *text);
