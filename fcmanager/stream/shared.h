/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's shared memory as the manager sees it: which chunks may be read, and
 * giving them back.  The programs can write all of it at any time, so every value is
 * read once and checked.  main.c maps it; thread.c, process.c, process-heap.c,
 * process-messages.c and session.c use it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

/* Chunks with a higher index are dropped from our page tables when they are freed: a crowd
 * of threads that uses them all once must not stay in our resident memory. */
#define FC_SHARED_RESIDENT 128u

typedef struct FcSharedMap FcSharedMap;

/* Maps the memory of descriptor `fd`, which stays the caller's, and open until it is unmapped.
 * NULL and `error` where it is not what libfc makes. */
FcSharedMap *fc_shared_map(int fd, GError **error);
/* The same for `memory` that is mapped already, all `bytes` of it; becomes the map's. */
FcSharedMap *fc_shared_new(void *memory, gsize bytes, GError **error);
void fc_shared_unmap(FcSharedMap *shared);

/* A chunk as its header was when it was looked at. */
typedef struct
{
    guint32 index;
    guint32 thread;
    guint32 sequence;
    guint32 generation;
    const struct FcUnit *units;   /* FC_CHUNK_UNITS; still writable by the program, or, in a */
    const struct FcCount *counts; /* chunk of that kind, FC_CHUNK_COUNTS */
    const guint64 *beacon;        /* of a chunk of counts: libfc/beacon.h */
    gboolean stopped;             /* libfc could not give it away */
} FcChunkView;

/* Takes chunk `index`, which `process` says it gives away.  FALSE where it is not that
 * process's, holds no records or was taken before.  Held until fc_shared_free. */
gboolean fc_shared_take(FcSharedMap *shared, guint32 index, guint64 process, FcChunkView *view);

/* The same for a chunk in which a thread of `process` counts, and goes on to. */
gboolean fc_shared_take_counts(FcSharedMap *shared, guint32 index, guint64 process,
                               FcChunkView *view);

/* All chunks of that kind that `process` owns and that were not taken, in order of thread and
 * sequence; they are not taken by this.  The caller unrefs the array of FcChunkView. */
GArray *fc_shared_owned(FcSharedMap *shared, guint64 process, enum FcChunkKind kind);

/* Makes the chunk free for any process; those that wait for one are woken by fc_shared_wake. */
void fc_shared_free(FcSharedMap *shared, guint32 index);
/* The same for every chunk that `process` owns: it must be dead. */
void fc_shared_free_all(FcSharedMap *shared, guint64 process);

/* Wakes who waits for a chunk, if any became free.  Once for many: a thread that is woken for
 * each of them gets little further than to the next wait.  Returns whether anybody waited. */
gboolean fc_shared_wake(FcSharedMap *shared);

/* Whether chunks that were given away are in no cache, so that nothing is lost by reading them
 * somewhat later. */
gboolean fc_shared_is_streamed(const FcSharedMap *shared);

/* Lets those that wait know that we go on: what was in the pipe a while ago is read. */
void fc_shared_count_round(FcSharedMap *shared);

/* Puts `text` where `process` waits for it in chunk `index`, and wakes it.  FALSE where the
 * chunk is not that process's. */
gboolean fc_shared_answer(FcSharedMap *shared, guint32 index, guint64 process, const char *text);
