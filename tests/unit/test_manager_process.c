/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chunks in shared memory as a program and as a liar fill them: gaps, deaths, threads, forks.
 */
#include "fcmanager/process-messages.h"
#include "tests/unit/manager_fixture.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNKS 80u
#define KEY (UINT64_C(77) << 32 | 1)
#define SITE(letter, number) fc_fixture_site((letter), (number))

typedef struct
{
    FcProcessSetup setup;
    struct FcShared *memory; /* as the program has it */
    FcProcess *process;
} Fixture;

static struct FcChunk *chunk_at(Fixture *f, guint32 index)
{
    return (struct FcChunk *)((char *)f->memory + (gsize)index * FC_CHUNK_BYTES);
}

static FcSharedMap *make_shared(struct FcShared **memory)
{
    int fd = memfd_create("test", MFD_ALLOW_SEALING);
    gsize bytes = (1 + CHUNKS) * (gsize)FC_CHUNK_BYTES;
    g_assert_cmpint(ftruncate(fd, (off_t)bytes), ==, 0);
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    g_assert_true(*memory != MAP_FAILED);
    (*memory)->magic = FC_SHARED_MAGIC;
    (*memory)->version = FC_WIRE_VERSION;
    (*memory)->chunk_count = CHUNKS;
    g_autoptr(GError) error = NULL;
    FcSharedMap *shared = fc_shared_map(fd, &error);
    g_assert_no_error(error);
    /* nobody can make it smaller under our feet, which would be our end by SIGBUS */
    g_assert_cmpint(ftruncate(fd, FC_CHUNK_BYTES), ==, -1);
    close(fd);
    return shared;
}

static FcProcess *make_process(Fixture *f, guint64 key)
{
    struct FcHello hello = {.version = FC_WIRE_VERSION,
                            .pid = (gint32)(key >> 32),
                            .thread = 1,
                            .start_time = 5,
                            .start_monotonic_ns = 5};
    return fc_process_new(&f->setup, key, &hello, NULL);
}

static void start(Fixture *f)
{
    memset(f, 0, sizeof *f);
    fc_clock_start(&f->setup.clock, FC_TIME_EXT);
    f->setup.clock.readable = FALSE;
    f->setup.profile_mode = FC_MODE_FORK;
    f->setup.shared = make_shared(&f->memory);
    f->process = make_process(f, KEY);
}

static void stop(Fixture *f)
{
    fc_process_free(f->process);
    fc_shared_unmap(f->setup.shared);
    munmap(f->memory, (1 + CHUNKS) * (gsize)FC_CHUNK_BYTES);
}

static struct FcChunk *claim(Fixture *f, guint32 index, guint32 thread, guint32 sequence)
{
    struct FcChunk *chunk = chunk_at(f, index);
    g_assert_cmpuint(chunk->owner, ==, 0);
    chunk->owner = KEY;
    chunk->generation = FIXTURE_GENERATION;
    chunk->thread = thread;
    chunk->sequence = sequence;
    chunk->ready = 1;
    return chunk;
}

static void send(Fixture *f, enum FcMessageType type, guint32 thread, guint32 argument,
                 guint64 value)
{
    FcWireMessage message = {
        .type = type, .process = KEY, .thread = thread, .argument = argument, .value = value};
    fc_process_message(f->process, &message);
}

/* Puts an entry and an exit of `letter` into slots `slot` and the next. */
static void put_call(struct FcChunk *chunk, guint slot, guint64 time, char letter)
{
    chunk->records[slot] = fc_fixture_record(FC_RECORD_ENTER, time, letter, 0x99, 1);
    chunk->records[slot + 1] = fc_fixture_record(FC_RECORD_EXIT, time + 2, letter, 0x99, 1);
}

static guint64 note_count(const GArray *notes, const char *kind)
{
    for (guint i = 0; i < notes->len; i++)
        if (strcmp(g_array_index(notes, FcProfileNote, i).kind, kind) == 0)
            return g_array_index(notes, FcProfileNote, i).count;
    return 0;
}

static guint64 calls_of(Fixture *f, char letter)
{
    const FcCountsFunction *function = fc_fixture_function(f->process->counts, letter);
    return function != NULL ? function->calls : 0;
}

static void test_chunks(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 3, 1, 0);
    put_call(chunk, 0, 10, 'A');
    f.memory->waiters = 1;
    guint32 freed = f.memory->freed;
    send(&f, FC_MSG_CHUNK, 1, 3, 2);
    g_assert_cmpuint(chunk->owner, ==, 0);
    g_assert_cmpuint(chunk->ready, ==, 0);
    g_assert_cmpuint(f.memory->freed, ==, freed + 1);
    put_call(claim(&f, 3, 1, 1), 0, 20, 'A');
    send(&f, FC_MSG_CHUNK, 1, 3, 2);
    fc_process_finish(f.process, 30, 1, FALSE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 2);
    g_assert_cmpuint(f.process->losses->len, ==, 0);
    g_assert_cmpuint(f.process->repairs->len, ==, 0);
    g_assert_cmpuint(f.process->end_time, ==, 30);
    stop(&f);
}

/* What a process had recorded when it died, and in which order it counts. */
static void test_death(void)
{
    Fixture f;
    start(&f);
    /* The later chunk lies before the earlier one. */
    struct FcChunk *first = claim(&f, 9, 1, 0);
    struct FcChunk *second = claim(&f, 2, 1, 1);
    first->records[0] = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0);
    first->records[1] = fc_fixture_record(FC_RECORD_ENTER, 20, 'B', SITE('A', 0), 1);
    second->records[0] = fc_fixture_record(FC_RECORD_EXIT, 30, 'B', SITE('A', 0), 1);
    struct FcChunk *unready = claim(&f, 4, 1, 2);
    put_call(unready, 0, 31, 'X');
    unready->ready = 0; /* killed within the claim */
    fc_process_finish(f.process, 50, 0, TRUE);
    fc_shared_free_all(f.setup.shared, KEY);
    g_assert_cmpuint(first->owner, ==, 0);
    g_assert_cmpuint(unready->owner, ==, 0);
    const FcCountsFunction *a = fc_fixture_function(f.process->counts, 'A');
    g_assert_cmpuint(a->total, ==, 40); /* open at the end */
    g_assert_cmpuint(a->local, ==, 30);
    g_assert_cmpuint(calls_of(&f, 'B'), ==, 1);
    g_assert_cmpuint(calls_of(&f, 'X'), ==, 0);
    g_assert_cmpuint(f.process->results->len, ==, 1);
    const FcThreadResult *row = &g_array_index(f.process->results, FcThreadResult, 0);
    g_assert_cmpuint(row->stack->len, ==, 1);
    g_assert_false(row->ended);
    stop(&f);
}

/* A hook was interrupted before its record was stored, and a handler recorded behind it. */
static void test_gap_filled_later(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *first = claim(&f, 1, 1, 0);
    struct FcChunk *second = claim(&f, 2, 1, 1);
    put_call(first, 1, 10, 'H');
    put_call(second, 0, 20, 'H');
    send(&f, FC_MSG_CHUNK, 1, 1, 3);
    g_assert_cmpuint(first->owner, ==, KEY); /* may still be written to */
    send(&f, FC_MSG_CHUNK, 1, 2, 2);
    g_assert_cmpuint(second->owner, ==, 0); /* the thread may be waiting for it */
    fc_process_retry(f.process);
    g_assert_cmpuint(first->owner, ==, KEY);
    first->records[0] = fc_fixture_record(FC_RECORD_ENTER, 9, 'A', 0x99, 0);
    fc_process_retry(f.process);
    g_assert_cmpuint(first->owner, ==, 0);
    fc_process_finish(f.process, 30, 1, FALSE);
    /* The handler's calls are A's: the gap kept its place. */
    const FcCountsNode *node = fc_fixture_context(f.process->counts, "AH");
    g_assert_nonnull(node);
    g_assert_cmpuint(node->calls, ==, 2);
    g_assert_cmpuint(note_count(f.process->repairs, "gaps"), ==, 0);
    stop(&f);
}

/* However long a handler takes: 3000 of its chunks wait for the hook that it interrupted. */
static void test_gap_filled_late(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *gapped = claim(&f, 1, 1, 0);
    put_call(gapped, 1, 10, 'H');
    send(&f, FC_MSG_CHUNK, 1, 1, 3);
    for (guint32 i = 1; i <= 3000; i++)
    {
        put_call(claim(&f, 2, 1, i), 0, 10 + 10 * i, 'B');
        send(&f, FC_MSG_CHUNK, 1, 2, 2);
    }
    gapped->records[0] = fc_fixture_record(FC_RECORD_ENTER, 9, 'A', 0x99, 0);
    fc_process_retry(f.process);
    g_assert_cmpuint(gapped->owner, ==, 0);
    fc_process_finish(f.process, 40000, 1, FALSE);
    g_assert_cmpuint(calls_of(&f, 'B'), ==, 3000);
    g_assert_cmpuint(calls_of(&f, 'H'), ==, 1);
    g_assert_cmpuint(note_count(f.process->repairs, "gaps"), ==, 0);
    stop(&f);
}

/* It never is: at its end the thread goes on without. */
static void test_gap_given_up(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *gapped = claim(&f, 1, 1, 0);
    put_call(gapped, 1, 10, 'H');
    send(&f, FC_MSG_CHUNK, 1, 1, 3);
    for (guint32 i = 1; i < 70; i++)
    {
        put_call(claim(&f, 2, 1, i), 0, 10 + 10 * i, 'B');
        send(&f, FC_MSG_CHUNK, 1, 2, 2);
    }
    g_assert_cmpuint(gapped->owner, ==, KEY);
    send(&f, FC_MSG_THREAD_END, 1, 0, 2000);
    g_assert_cmpuint(gapped->owner, ==, 0);
    g_assert_cmpuint(calls_of(&f, 'H'), ==, 1);
    g_assert_cmpuint(calls_of(&f, 'B'), ==, 69);
    g_assert_cmpuint(note_count(f.process->repairs, "gaps"), ==, 1);
    stop(&f);
}

/* At its death: the slots behind the last record are not gaps. */
static void test_gap_at_death(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 1, 1, 0);
    put_call(chunk, 2, 10, 'A');
    chunk->records[5] = fc_fixture_record(FC_RECORD_ENTER, 13, 'A', 0x99, 1);
    fc_process_finish(f.process, 20, 0, TRUE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 2);
    g_assert_cmpuint(note_count(f.process->repairs, "gaps"), ==, 3);
    stop(&f);
}

static void test_lying_messages(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *others = claim(&f, 5, 1, 0);
    others->owner = KEY + 1;
    put_call(others, 0, 10, 'A');
    put_call(claim(&f, 6, 1, 0), 0, 10, 'A');
    send(&f, FC_MSG_CHUNK, 1, 0, 2);
    send(&f, FC_MSG_CHUNK, 1, CHUNKS + 1, 2);
    send(&f, FC_MSG_CHUNK, 1, UINT32_MAX, 2);
    send(&f, FC_MSG_CHUNK, 1, 5, 2);                    /* another's */
    send(&f, FC_MSG_CHUNK, 1, 7, 2);                    /* nobody's */
    send(&f, FC_MSG_CHUNK, 1, 6, FC_CHUNK_RECORDS + 1); /* too many */
    send(&f, FC_MSG_CHUNK, 2, 6, 2);                    /* of another thread */
    send(&f, FC_MSG_THREAD_START, 0, 1, 1);
    send(&f, FC_MSG_THREAD_END, 99, 0, 1);
    send(&f, FC_MSG_MODULE_LOAD, 1, 0, 1);
    send(&f, FC_MSG_CHUNK_DATA, 1, 0, 1);
    fc_process_finish(f.process, 20, 0, FALSE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 0);
    g_assert_cmpuint(note_count(f.process->losses, "bad-chunk"), ==, 7);
    g_assert_cmpuint(note_count(f.process->losses, "malformed-messages"), ==, 2);
    g_assert_cmpuint(others->owner, ==, KEY + 1);
    stop(&f);
}

/* What looks like records in it is none, whether it is given away or its process dies. */
static void test_chunk_of_counts(void)
{
    Fixture f;
    start(&f);
    for (guint32 i = 1; i <= 2; i++)
    {
        struct FcChunk *chunk = claim(&f, i, 1, 0);
        chunk->kind = FC_CHUNK_OF_COUNTS;
        put_call(chunk, 0, 10, 'A');
    }
    send(&f, FC_MSG_COUNTS, 1, 1, 0);
    send(&f, FC_MSG_CHUNK, 1, 2, 2);
    g_assert_cmpuint(chunk_at(&f, 1)->owner, ==, KEY);
    fc_process_finish(f.process, 20, 0, TRUE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 0);
    g_assert_cmpuint(note_count(f.process->losses, "bad-chunk"), ==, 1);
    stop(&f);
}

/* A chunk that waits at a gap is given away once more, with its header changed. */
static void test_chunk_given_twice(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 1, 1, 0);
    put_call(chunk, 1, 10, 'A');
    send(&f, FC_MSG_CHUNK, 1, 1, 3);
    chunk->generation++;
    send(&f, FC_MSG_CHUNK, 1, 1, 3);
    g_assert_cmpuint(chunk->owner, ==, KEY);
    fc_process_finish(f.process, 20, 0, TRUE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 1);
    g_assert_cmpuint(note_count(f.process->losses, "bad-chunk"), ==, 1);
    stop(&f);
}

/* When the generations begin again, no slot may still hold the first ones' records. */
static void test_generations_wrap(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 1, 1, 0);
    put_call(chunk, 100, 10, 'A');
    chunk->generation = UINT16_MAX;
    send(&f, FC_MSG_CHUNK, 1, 1, 0);
    g_assert_cmpuint(chunk->records[100].site, ==, 0);
    stop(&f);
}

/* Ten thousand threads one after the other leave rows, not counts. */
static void test_threads_in_turn(void)
{
    Fixture f;
    start(&f);
    f.process->arc_budget = 9990;
    for (guint32 thread = 1; thread <= 10000; thread++)
    {
        send(&f, FC_MSG_THREAD_START, thread, 1000 + thread, 10 * thread);
        put_call(claim(&f, 1, thread, 0), 0, 10 * (guint64)thread + 1, 'A');
        send(&f, FC_MSG_CHUNK, thread, 1, 2);
        send(&f, FC_MSG_THREAD_END, thread, 0, 10 * thread + 5);
        g_assert_cmpuint(g_hash_table_size(f.process->threads), ==, 0);
    }
    fc_process_finish(f.process, 200000, 1, FALSE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 10000);
    g_assert_cmpuint(f.process->results->len, ==, 10000);
    const FcThreadResult *row = &g_array_index(f.process->results, FcThreadResult, 41);
    g_assert_cmpint(row->tid, ==, 1042);
    g_assert_cmpuint(row->start_time, ==, 421); /* its first and last event */
    g_assert_cmpuint(row->end_time, ==, 423);
    g_assert_cmpuint(row->calls, ==, 1);
    g_assert_true(row->ended);
    g_assert_cmpuint(row->arcs->len, ==, 1);
    const FcProfileThreadArc *arc = &g_array_index(row->arcs, FcProfileThreadArc, 0);
    g_assert_cmpuint(arc->calls, ==, 1);
    g_assert_cmpuint(f.process->counts->arcs[arc->arc].calls, ==, 10000);
    g_assert_null(g_array_index(f.process->results, FcThreadResult, 9995).arcs);
    g_assert_cmpuint(note_count(f.process->repairs, "thread-arcs-not-listed"), ==, 10);
    stop(&f);
}

/* A thread whose own clock stands at 0 in its first events: in mode sys it has not yet been
 * in the kernel. */
/* A list has an end; no call is lost by it. */
static void test_more_threads_than_are_listed(void)
{
    const guint32 listed = 262144;
    Fixture f;
    start(&f);
    for (guint32 thread = 1; thread <= listed + 3; thread++)
    {
        send(&f, FC_MSG_THREAD_START, thread, thread, 10);
        send(&f, FC_MSG_THREAD_END, thread, 0, 20);
    }
    g_assert_cmpuint(f.process->results->len, ==, listed);
    g_assert_cmpuint(note_count(f.process->repairs, "threads-not-listed"), ==, 3);
    g_assert_cmpuint(f.process->losses->len, ==, 0);
    stop(&f);
}

static void test_clock_from_zero(void)
{
    Fixture f;
    start(&f);
    f.setup.clock.mode = FC_TIME_SYS;
    send(&f, FC_MSG_THREAD_START, 2, 1002, 0);
    struct FcChunk *chunk = claim(&f, 1, 2, 0);
    chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 0, 'A', 0x99, 1);
    chunk->records[1] = fc_fixture_record(FC_RECORD_EXIT, 7000, 'A', 0x99, 1);
    send(&f, FC_MSG_CHUNK, 2, 1, 2);
    send(&f, FC_MSG_THREAD_END, 2, 0, 7000);
    const FcThreadResult *row = &g_array_index(f.process->results, FcThreadResult, 0);
    g_assert_cmpuint(row->start_time, ==, 0);
    g_assert_cmpuint(row->end_time, ==, 7000);
    stop(&f);
}

static void test_data_in_the_pipe(void)
{
    Fixture f;
    start(&f);
    guint8 payload[1 + sizeof(struct FcDataHeader) + 2 * sizeof(struct FcRecord)];
    struct FcDataHeader header = {.count = 2, .generation = FIXTURE_GENERATION};
    struct FcRecord records[2] = {fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0),
                                  fc_fixture_record(FC_RECORD_EXIT, 14, 'A', 0x99, 0)};
    memcpy(payload + 1, &header, sizeof header); /* not aligned */
    memcpy(payload + 1 + sizeof header, records, sizeof records);
    FcWireMessage message = {.type = FC_MSG_CHUNK_DATA,
                             .process = KEY,
                             .thread = 1,
                             .payload = payload + 1,
                             .payload_bytes = sizeof payload - 1};
    fc_process_message(f.process, &message);
    fc_process_finish(f.process, 20, 1, FALSE);
    g_assert_cmpuint(calls_of(&f, 'A'), ==, 1);
    g_assert_cmpuint(fc_fixture_function(f.process->counts, 'A')->total, ==, 4);
    stop(&f);
}

static void test_fork(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 1, 1, 0);
    chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0);
    send(&f, FC_MSG_CHUNK, 1, 1, 1);
    g_autoptr(GArray) frames = fc_process_fork(f.process, 1);
    g_assert_cmpuint(frames->len, ==, 1);
    struct FcHello hello = {.version = FC_WIRE_VERSION, .pid = 78, .thread = 3, .start_time = 100};
    FcProcess *child = fc_process_new(&f.setup, KEY + 1, &hello, f.process);
    fc_process_adopt(child, NULL, frames);
    fc_process_finish(child, 160, 3, FALSE);
    const FcCountsFunction *a = fc_fixture_function(child->counts, 'A');
    g_assert_cmpuint(a->calls, ==, 0);
    g_assert_cmpuint(a->total, ==, 60);
    fc_process_free(child);
    stop(&f);
}

static void send_off(FcProcess *process, guint64 time, guint64 value, guint64 waits, guint64 kind)
{
    const struct FcRecord record = {.time = time,
                                    .function = value,
                                    .where = kind | FC_OFF_SEEN << FC_OFF_RECORD_SHIFT,
                                    .site = waits | G_GUINT64_CONSTANT(5)
                                                        << FC_SITE_GENERATION_SHIFT};
    const FcWireMessage message = {.type = FC_MSG_OFF,
                                   .process = KEY + 1,
                                   .thread = 3,
                                   .payload = (const guint8 *)(gconstpointer)&record,
                                   .payload_bytes = sizeof record};
    fc_process_message(process, &message);
}

/* The child makes no record. */
static void test_fork_that_waits(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 1, 1, 0);
    chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0);
    send(&f, FC_MSG_CHUNK, 1, 1, 1);
    g_autoptr(GArray) frames = fc_process_fork(f.process, 1);
    struct FcHello hello = {.version = FC_WIRE_VERSION, .pid = 78, .thread = 3, .start_time = 100};
    FcProcess *child = fc_process_new(&f.setup, KEY + 1, &hello, f.process);
    fc_process_adopt(child, NULL, frames);
    send_off(child, 100, 7000, 1, FC_RECORD_OFF);
    send_off(child, 150, 7040, 2, FC_RECORD_ENTER);
    send_off(child, 160, 7045, 2, FC_RECORD_OFF);
    fc_process_finish(child, 160, 3, FALSE);
    const FcCountsFunction *a = fc_fixture_function(child->counts, 'A');
    g_assert_cmpuint(a->total, ==, 60);
    g_assert_cmpuint(a->wait_total, ==, 45);
    const FcThreadResult *row = &g_array_index(child->results, FcThreadResult, 0);
    g_assert_cmpint(row->off.seen, ==, FC_WAITS_SEEN);
    g_assert_cmpuint(row->off.preempted, ==, 0);
    g_assert_cmpuint(note_count(child->losses, "malformed-messages"), ==, 1);
    fc_process_free(child);
    stop(&f);
}

static void test_answer(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 8, 1, 0);
    g_assert_true(fc_shared_answer(f.setup.shared, 8, KEY, "done"));
    g_assert_cmpuint(chunk->answer, ==, 1);
    g_assert_cmpuint(chunk->answer_bytes, ==, 4);
    g_assert_cmpmem(chunk->records, 4, "done", 4);
    g_assert_false(fc_shared_answer(f.setup.shared, 8, KEY + 1, "no"));
    g_assert_false(fc_shared_answer(f.setup.shared, CHUNKS + 1, KEY, "no"));
    stop(&f);
}

/* What can't be sealed is not mapped: a file, and a memfd that forbids seals. */
static void test_unsealed(void)
{
    g_autofree char *name = NULL;
    int fds[] = {memfd_create("test", 0), g_file_open_tmp(NULL, &name, NULL)};
    unlink(name);
    for (guint i = 0; i < G_N_ELEMENTS(fds); i++)
    {
        g_autoptr(GError) error = NULL;
        g_assert_cmpint(ftruncate(fds[i], 2 * (off_t)FC_CHUNK_BYTES), ==, 0);
        g_assert_null(fc_shared_map(fds[i], &error));
        g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
        g_assert_nonnull(strstr(error->message, "seal"));
        close(fds[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/process/chunks", test_chunks);
    g_test_add_func("/process/unsealed", test_unsealed);
    g_test_add_func("/process/death", test_death);
    g_test_add_func("/process/gap-filled-later", test_gap_filled_later);
    g_test_add_func("/process/gap-filled-late", test_gap_filled_late);
    g_test_add_func("/process/gap-given-up", test_gap_given_up);
    g_test_add_func("/process/gap-at-death", test_gap_at_death);
    g_test_add_func("/process/lying-messages", test_lying_messages);
    g_test_add_func("/process/chunk-of-counts", test_chunk_of_counts);
    g_test_add_func("/process/chunk-given-twice", test_chunk_given_twice);
    g_test_add_func("/process/generations-wrap", test_generations_wrap);
    g_test_add_func("/process/threads-in-turn", test_threads_in_turn);
    g_test_add_func("/process/threads-not-listed", test_more_threads_than_are_listed);
    g_test_add_func("/process/clock-from-zero", test_clock_from_zero);
    g_test_add_func("/process/data-in-the-pipe", test_data_in_the_pipe);
    g_test_add_func("/process/fork", test_fork);
    g_test_add_func("/process/fork-that-waits", test_fork_that_waits);
    g_test_add_func("/process/answer", test_answer);
    return g_test_run();
}
