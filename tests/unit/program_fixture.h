/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that the test plays: its chunks in shared memory, which are filled by hand, and the
 * process that fcmanager has of it.  Used by those test_manager_*.c files that are about whole
 * processes.
 */
#pragma once

#include "fcmanager/session/process.h"
#include "tests/unit/manager_fixture.h"

#define PROGRAM_CHUNKS 200u
#define PROGRAM_KEY (UINT64_C(77) << 32 | 1)

typedef struct
{
    FcProcessSetup setup;
    struct FcShared *memory; /* as the program has it */
    int fd;                  /* of that */
    FcProcess *process;      /* which may be finished */
} FcProgram;

/* In mode FORK, with one thread, number 1.  One tick is one nanosecond. */
void fc_program_start(FcProgram *program);
void fc_program_stop(FcProgram *program);

struct FcChunk *fc_program_chunk(FcProgram *program, guint32 index);
/* Takes the chunk, which must be nobody's, as libfc does for a thread's `sequence`th. */
struct FcChunk *fc_program_claim(FcProgram *program, guint32 index, guint32 thread,
                                 guint32 sequence);
/* Puts an entry and an exit of `letter` into slots `slot` and the next. */
void fc_program_put_call(struct FcChunk *chunk, guint slot, guint64 time, char letter);

/* A message without payload. */
/* So many long records of chunk `index` are given away. */
void fc_program_give(FcProgram *program, guint32 thread, guint32 index, guint64 records);

void fc_program_send(FcProgram *program, enum FcMessageType type, guint32 thread, guint32 argument,
                     guint64 value);

/* How many calls of `letter` the process has, and how often there is a note of that kind. */
guint64 fc_program_calls(FcProgram *program, char letter);
guint64 fc_program_note_count(const GArray *notes, const char *kind);
