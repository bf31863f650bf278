/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's shared memory in the manager: takes chunks from the programs to read them, and
 * frees them.  The programs can write to all of the memory at any time, so the manager reads each
 * value once and checks it.  main.c maps it; thread.c, process.c, process-heap.c,
 * process-messages.c and session.c use it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

/* Chunks with a higher index are removed from the manager's page tables when they are freed.
 * Otherwise all chunks that many threads used once would stay in its resident memory. */
#define FC_SHARED_RESIDENT 128u

typedef struct FcSharedMap FcSharedMap;

/* Maps the memory of descriptor `fd`, which stays the caller's and must stay open until
 * fc_shared_unmap.  NULL and *error: the memory can't be mapped, or is not what this version of
 * libfc makes. */
FcSharedMap *fc_shared_map(int fd, GError **error);
/* The same for `bytes` of `memory` that are mapped already.  If it succeeds, the map owns them. */
FcSharedMap *fc_shared_new(void *memory, gsize bytes, GError **error);
void fc_shared_unmap(FcSharedMap *shared);

/* A chunk, with its header as it was when it was read. */
typedef struct
{
    guint32 index;
    guint32 thread;
    guint32 sequence;
    guint32 generation;
    /* By the kind of the chunk; the program can still write to all of them: */
    const struct FcUnit *units;   /* records: FC_CHUNK_UNITS */
    const struct FcCount *counts; /* counts: FC_CHUNK_COUNTS */
    const guint64 *current_word;  /* counts: see libfc/current-word.h */
    const guint8 *pages;          /* entries: the whole chunk with its header */
    const struct FcMpiTable *mpi; /* figures of MPI */
    gboolean stopped;             /* libfc could not give it away */
} FcChunkView;

/* Takes chunk `index`, which `process` says that it gives away.  The manager owns it until
 * fc_shared_free.  FALSE: the chunk is not that process's, holds no records, or was taken
 * before. */
gboolean fc_shared_take(FcSharedMap *shared, guint32 index, guint64 process, FcChunkView *view);

/* The same for a chunk in which a thread of `process` counts calls.  The thread goes on counting
 * there. */
gboolean fc_shared_take_counts(FcSharedMap *shared, guint32 index, guint64 process,
                               FcChunkView *view);

/* The same for a chunk that has counters of function entries. */
gboolean fc_shared_take_entries(FcSharedMap *shared, guint32 index, guint64 process,
                                FcChunkView *view);

/* The same for the chunk that has the process's figures of MPI. */
gboolean fc_shared_take_mpi(FcSharedMap *shared, guint32 index, guint64 process, FcChunkView *view);

/* All chunks of that kind that `process` owns and that were not taken, ordered by thread and
 * sequence.  This does not take them.  The caller unrefs the array of FcChunkView. */
GArray *fc_shared_owned(FcSharedMap *shared, guint64 process, enum FcChunkKind kind);

/* Frees the chunk for any process.  Threads that wait for one are woken by fc_shared_wake. */
void fc_shared_free(FcSharedMap *shared, guint32 index);
/* The same for every chunk that `process` owns, which must be dead. */
void fc_shared_free_all(FcSharedMap *shared, guint64 process);

/* Wakes the threads that wait for a chunk, if any was freed since the last call.  To be called
 * after many chunks were freed: a thread that is woken for each chunk soon waits again.  Returns
 * whether any thread waited. */
gboolean fc_shared_wake(FcSharedMap *shared);

/* Whether libfc writes records past the caches.  Then reading a chunk late costs no more than
 * reading it at once. */
gboolean fc_shared_is_streamed(const FcSharedMap *shared);

/* Wakes the thread that waits for the answer of FC_MSG_PAUSE with that number. */
void fc_shared_answer_pause(FcSharedMap *shared, guint32 number);

/* Counts a round of reading the pipe.  Threads that wait see by this that the manager is alive and
 * has read what was in the pipe. */
void fc_shared_count_round(FcSharedMap *shared);

/* Copies the chunks that `processes` (guint64) own now.  The caller frees the copy with g_free.
 * NULL: there is no memory. */
typedef struct FcSharedCopy FcSharedCopy;
FcSharedCopy *fc_shared_copy(FcSharedMap *shared, const GArray *processes);

/* Called in a child of the manager, which was forked when `copy` was made and before the manager
 * went on: replaces the map by a private one with that copy.  Nothing that the programs and the
 * manager do later changes it.  The child can't take other chunks.  FALSE: the memory can't be
 * mapped. */
gboolean fc_shared_freeze(FcSharedMap *shared, const FcSharedCopy *copy);

/* Returns how many chunks are in use, and sets *all to how many there are. */
guint32 fc_shared_count_used(const FcSharedMap *shared, guint32 *all);

/* Writes `text` to chunk `index`, where `process` waits for it, and wakes the process.  FALSE:
 * the chunk is not that process's. */
gboolean fc_shared_answer(FcSharedMap *shared, guint32 index, guint64 process, const char *text);
