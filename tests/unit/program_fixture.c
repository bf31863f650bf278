/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program and its chunks as a test plays them: see program_fixture.h.
 */
#include "tests/unit/program_fixture.h"

#include "fcmanager/session/process-messages.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct FcChunk *fc_program_chunk(FcProgram *program, guint32 index)
{
    return (struct FcChunk *)((char *)program->memory + (gsize)index * FC_CHUNK_BYTES);
}

static FcSharedMap *make_shared(struct FcShared **memory, int fd)
{
    gsize bytes = (1 + PROGRAM_CHUNKS) * (gsize)FC_CHUNK_BYTES;
    g_assert_cmpint(ftruncate(fd, (off_t)bytes), ==, 0);
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    g_assert_true(*memory != MAP_FAILED);
    (*memory)->magic = FC_SHARED_MAGIC;
    (*memory)->version = FC_WIRE_VERSION;
    (*memory)->chunk_count = PROGRAM_CHUNKS;
    g_autoptr(GError) error = NULL;
    FcSharedMap *shared = fc_shared_map(fd, &error);
    g_assert_no_error(error);
    /* nobody can make it smaller under our feet, which would be our end by SIGBUS */
    g_assert_cmpint(ftruncate(fd, FC_CHUNK_BYTES), ==, -1);
    return shared;
}

static FcProcess *make_process(FcProgram *program)
{
    struct FcHello hello = {.version = FC_WIRE_VERSION,
                            .pid = (gint32)(PROGRAM_KEY >> 32),
                            .thread = 1,
                            .start_time = 5,
                            .start_monotonic_ns = 5};
    return fc_process_new(&program->setup, PROGRAM_KEY, &hello, NULL);
}

void fc_program_start(FcProgram *program)
{
    memset(program, 0, sizeof *program);
    fc_clock_start(&program->setup.clock, FC_TIME_EXT);
    program->setup.clock.readable = FALSE;
    program->setup.profile_mode = FC_MODE_FORK;
    program->fd = memfd_create("test", MFD_ALLOW_SEALING);
    program->setup.shared = make_shared(&program->memory, program->fd);
    program->process = make_process(program);
}

void fc_program_stop(FcProgram *program)
{
    fc_process_free(program->process);
    fc_shared_unmap(program->setup.shared);
    close(program->fd);
    munmap(program->memory, (1 + PROGRAM_CHUNKS) * (gsize)FC_CHUNK_BYTES);
}

struct FcChunk *fc_program_claim(FcProgram *program, guint32 index, guint32 thread,
                                 guint32 sequence)
{
    struct FcChunk *chunk = fc_program_chunk(program, index);
    g_assert_cmpuint(chunk->owner, ==, 0);
    chunk->owner = PROGRAM_KEY;
    chunk->generation = FIXTURE_GENERATION;
    chunk->thread = thread;
    chunk->sequence = sequence;
    chunk->ready = 1;
    return chunk;
}

void fc_program_send(FcProgram *program, enum FcMessageType type, guint32 thread, guint32 argument,
                     guint64 value)
{
    FcWireMessage message = {.type = type,
                             .process = PROGRAM_KEY,
                             .thread = thread,
                             .argument = argument,
                             .value = value};
    fc_process_message(program->process, &message);
}

void fc_program_give(FcProgram *program, guint32 thread, guint32 index, guint64 records)
{
    fc_program_send(program, FC_MSG_CHUNK, thread, index, records * FC_RECORD_UNITS);
}

void fc_program_put_call(struct FcChunk *chunk, guint slot, guint64 time, char letter)
{
    chunk->records[slot] = fc_fixture_record(FC_RECORD_ENTER, time, letter, 0x99, 1);
    chunk->records[slot + 1] = fc_fixture_record(FC_RECORD_EXIT, time + 2, letter, 0x99, 1);
}

guint64 fc_program_note_count(const GArray *notes, const char *kind)
{
    for (guint i = 0; i < notes->len; i++)
        if (strcmp(g_array_index(notes, FcProfileNote, i).kind, kind) == 0)
            return g_array_index(notes, FcProfileNote, i).count;
    return 0;
}

guint64 fc_program_calls(FcProgram *program, char letter)
{
    const FcCountsFunction *function = fc_fixture_function(program->process->counts, letter);
    return function != NULL ? function->calls : 0;
}
