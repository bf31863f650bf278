/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chunks in shared memory as a program and as a liar fill them: gaps, deaths, threads.
 */
#include "fcmanager/session/output.h"
#include "fcmanager/session/process-messages.h"
#include "tests/unit/program_fixture.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SITE(letter, number) fc_fixture_site((letter), (number))

static void test_chunks(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 3, 1, 0);
    fc_program_put_call(chunk, 0, 10, 'A');
    program.memory->waiters = 1;
    guint32 freed = program.memory->freed;
    fc_program_give(&program, 1, 3, 2);
    g_assert_cmpuint(chunk->owner, ==, 0);
    g_assert_cmpuint(chunk->ready, ==, 0);
    g_assert_cmpuint(program.memory->freed, ==, freed + 1);
    fc_program_put_call(fc_program_claim(&program, 3, 1, 1), 0, 20, 'A');
    fc_program_give(&program, 1, 3, 2);
    fc_process_finish(program.process, 30, 1, FALSE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 2);
    g_assert_cmpuint(program.process->losses->len, ==, 0);
    g_assert_cmpuint(program.process->repairs->len, ==, 0);
    g_assert_cmpuint(program.process->end_time, ==, 30);
    fc_program_stop(&program);
}

/* What a process had recorded when it died, and in which order it counts. */
static void test_death(void)
{
    FcProgram program;
    fc_program_start(&program);
    /* The later chunk lies before the earlier one. */
    struct FcChunk *first = fc_program_claim(&program, 9, 1, 0);
    struct FcChunk *second = fc_program_claim(&program, 2, 1, 1);
    first->records[0] = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0);
    first->records[1] = fc_fixture_record(FC_RECORD_ENTER, 20, 'B', SITE('A', 0), 1);
    second->records[0] = fc_fixture_record(FC_RECORD_EXIT, 30, 'B', SITE('A', 0), 1);
    struct FcChunk *unready = fc_program_claim(&program, 4, 1, 2);
    fc_program_put_call(unready, 0, 31, 'X');
    unready->ready = 0; /* killed within the claim */
    fc_process_finish(program.process, 50, 0, TRUE);
    fc_shared_free_all(program.setup.shared, PROGRAM_KEY);
    g_assert_cmpuint(first->owner, ==, 0);
    g_assert_cmpuint(unready->owner, ==, 0);
    const FcCountsFunction *a = fc_fixture_function(program.process->counts, 'A');
    g_assert_cmpuint(a->total, ==, 40); /* open at the end */
    g_assert_cmpuint(a->local, ==, 30);
    g_assert_cmpuint(fc_program_calls(&program, 'B'), ==, 1);
    g_assert_cmpuint(fc_program_calls(&program, 'X'), ==, 0);
    g_assert_cmpuint(program.process->results->len, ==, 1);
    const FcThreadResult *row = &g_array_index(program.process->results, FcThreadResult, 0);
    g_assert_cmpuint(row->stack->len, ==, 1);
    g_assert_false(row->ended);
    fc_program_stop(&program);
}

/* A hook was interrupted before its record was stored, and a handler recorded behind it. */
static void test_gap_filled_later(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *first = fc_program_claim(&program, 1, 1, 0);
    struct FcChunk *second = fc_program_claim(&program, 2, 1, 1);
    fc_program_put_call(first, 1, 10, 'H');
    fc_program_put_call(second, 0, 20, 'H');
    fc_program_give(&program, 1, 1, 3);
    g_assert_cmpuint(first->owner, ==, PROGRAM_KEY); /* may still be written to */
    fc_program_give(&program, 1, 2, 2);
    g_assert_cmpuint(second->owner, ==, 0); /* the thread may be waiting for it */
    fc_process_retry(program.process);
    g_assert_cmpuint(first->owner, ==, PROGRAM_KEY);
    first->records[0] = fc_fixture_record(FC_RECORD_ENTER, 9, 'A', 0x99, 0);
    fc_process_retry(program.process);
    g_assert_cmpuint(first->owner, ==, 0);
    fc_process_finish(program.process, 30, 1, FALSE);
    /* The handler's calls are A's: the gap kept its place. */
    const FcCountsNode *node = fc_fixture_context(program.process->counts, "AH");
    g_assert_nonnull(node);
    g_assert_cmpuint(node->calls, ==, 2);
    g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), ==, 0);
    fc_program_stop(&program);
}

/* However long a handler takes: 3000 of its chunks wait for the hook that it interrupted. */
static void test_gap_filled_late(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *gapped = fc_program_claim(&program, 1, 1, 0);
    fc_program_put_call(gapped, 1, 10, 'H');
    fc_program_give(&program, 1, 1, 3);
    for (guint32 i = 1; i <= 3000; i++)
    {
        fc_program_put_call(fc_program_claim(&program, 2, 1, i), 0, 10 + 10 * i, 'B');
        fc_program_give(&program, 1, 2, 2);
    }
    gapped->records[0] = fc_fixture_record(FC_RECORD_ENTER, 9, 'A', 0x99, 0);
    fc_process_retry(program.process);
    g_assert_cmpuint(gapped->owner, ==, 0);
    fc_process_finish(program.process, 40000, 1, FALSE);
    g_assert_cmpuint(fc_program_calls(&program, 'B'), ==, 3000);
    g_assert_cmpuint(fc_program_calls(&program, 'H'), ==, 1);
    g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), ==, 0);
    fc_program_stop(&program);
}

/* It never is: at its end the thread goes on without. */
static void test_gap_given_up(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *gapped = fc_program_claim(&program, 1, 1, 0);
    fc_program_put_call(gapped, 1, 10, 'H');
    fc_program_give(&program, 1, 1, 3);
    for (guint32 i = 1; i < 70; i++)
    {
        fc_program_put_call(fc_program_claim(&program, 2, 1, i), 0, 10 + 10 * i, 'B');
        fc_program_give(&program, 1, 2, 2);
    }
    g_assert_cmpuint(gapped->owner, ==, PROGRAM_KEY);
    fc_program_send(&program, FC_MSG_THREAD_END, 1, 0, 2000);
    g_assert_cmpuint(gapped->owner, ==, 0);
    g_assert_cmpuint(fc_program_calls(&program, 'H'), ==, 1);
    g_assert_cmpuint(fc_program_calls(&program, 'B'), ==, 69);
    g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), ==, 1);
    fc_program_stop(&program);
}

/* At its death: the slots behind the last record are not gaps. */
static void test_gap_at_death(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
    fc_program_put_call(chunk, 2, 10, 'A');
    chunk->records[5] = fc_fixture_record(FC_RECORD_ENTER, 13, 'A', 0x99, 1);
    fc_process_finish(program.process, 20, 0, TRUE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 2);
    g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), ==, 3);
    fc_program_stop(&program);
}

static void test_lying_messages(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *others = fc_program_claim(&program, 5, 1, 0);
    others->owner = PROGRAM_KEY + 1;
    fc_program_put_call(others, 0, 10, 'A');
    fc_program_put_call(fc_program_claim(&program, 6, 1, 0), 0, 10, 'A');
    fc_program_give(&program, 1, 0, 2);
    fc_program_give(&program, 1, PROGRAM_CHUNKS + 1, 2);
    fc_program_give(&program, 1, UINT32_MAX, 2);
    fc_program_give(&program, 1, 5, 2);                    /* another's */
    fc_program_give(&program, 1, 7, 2);                    /* nobody's */
    fc_program_give(&program, 1, 6, FC_CHUNK_RECORDS + 1); /* too many */
    fc_program_give(&program, 2, 6, 2);                    /* of another thread */
    fc_program_send(&program, FC_MSG_THREAD_START, 0, 1, 1);
    fc_program_send(&program, FC_MSG_THREAD_END, 99, 0, 1);
    fc_program_send(&program, FC_MSG_MODULE_LOAD, 1, 0, 1);
    fc_program_send(&program, FC_MSG_CHUNK_DATA, 1, 0, 1);
    fc_process_finish(program.process, 20, 0, FALSE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 0);
    g_assert_cmpuint(fc_program_note_count(program.process->losses, "bad-chunk"), ==, 7);
    g_assert_cmpuint(fc_program_note_count(program.process->losses, "malformed-messages"), ==, 2);
    g_assert_cmpuint(others->owner, ==, PROGRAM_KEY + 1);
    fc_program_stop(&program);
}

/* What looks like records in it is none, whether it is given away or its process dies. */
static void test_chunk_of_counts(void)
{
    FcProgram program;
    fc_program_start(&program);
    for (guint32 i = 1; i <= 2; i++)
    {
        struct FcChunk *chunk = fc_program_claim(&program, i, 1, 0);
        chunk->kind = FC_CHUNK_OF_COUNTS;
        fc_program_put_call(chunk, 0, 10, 'A');
    }
    fc_program_send(&program, FC_MSG_COUNTS, 1, 1, 0);
    fc_program_give(&program, 1, 2, 2);
    g_assert_cmpuint(fc_program_chunk(&program, 1)->owner, ==, PROGRAM_KEY);
    fc_process_finish(program.process, 20, 0, TRUE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 0);
    g_assert_cmpuint(fc_program_note_count(program.process->losses, "bad-chunk"), ==, 1);
    fc_program_stop(&program);
}

/* A chunk that waits at a gap is given away once more, with its header changed. */
static void test_chunk_given_twice(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
    fc_program_put_call(chunk, 1, 10, 'A');
    fc_program_give(&program, 1, 1, 3);
    chunk->generation++;
    fc_program_give(&program, 1, 1, 3);
    g_assert_cmpuint(chunk->owner, ==, PROGRAM_KEY);
    fc_process_finish(program.process, 20, 0, TRUE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 1);
    g_assert_cmpuint(fc_program_note_count(program.process->losses, "bad-chunk"), ==, 1);
    fc_program_stop(&program);
}

/* When the generations begin again, no slot may still hold the first ones' records. */
static void test_generations_wrap(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
    fc_program_put_call(chunk, 100, 10, 'A');
    chunk->generation = UINT16_MAX;
    fc_program_give(&program, 1, 1, 0);
    g_assert_cmpuint(chunk->records[100].site, ==, 0);
    fc_program_stop(&program);
}

/* Ten thousand threads one after the other leave rows, not counts. */
static void test_threads_in_turn(void)
{
    FcProgram program;
    fc_program_start(&program);
    program.process->arc_budget = 9990;
    for (guint32 thread = 1; thread <= 10000; thread++)
    {
        fc_program_send(&program, FC_MSG_THREAD_START, thread, 1000 + thread, 10 * thread);
        fc_program_put_call(fc_program_claim(&program, 1, thread, 0), 0, 10 * (guint64)thread + 1,
                            'A');
        fc_program_give(&program, thread, 1, 2);
        fc_program_send(&program, FC_MSG_THREAD_END, thread, 0, 10 * thread + 5);
        g_assert_cmpuint(g_hash_table_size(program.process->threads), ==, 0);
    }
    fc_process_finish(program.process, 200000, 1, FALSE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 10000);
    g_assert_cmpuint(program.process->results->len, ==, 10000);
    const FcThreadResult *row = &g_array_index(program.process->results, FcThreadResult, 41);
    g_assert_cmpint(row->tid, ==, 1042);
    g_assert_cmpuint(row->start_time, ==, 421); /* its first and last event */
    g_assert_cmpuint(row->end_time, ==, 423);
    g_assert_cmpuint(row->calls, ==, 1);
    g_assert_true(row->ended);
    g_assert_cmpuint(row->arcs->len, ==, 1);
    const FcProfileThreadArc *arc = &g_array_index(row->arcs, FcProfileThreadArc, 0);
    g_assert_cmpuint(arc->calls, ==, 1);
    g_assert_cmpuint(program.process->counts->arcs[arc->arc].calls, ==, 10000);
    guint without = 0;
    for (guint i = 0; i < 10000; i++)
        without += !g_array_index(program.process->results, FcThreadResult, i).arcs;
    g_assert_cmpuint(without, ==, 4995); /* half of the 9990, for the other 10 */
    g_assert_nonnull(g_array_index(program.process->results, FcThreadResult, 9999).arcs);
    g_assert_cmpuint(fc_program_note_count(program.process->repairs, "thread-arcs-not-listed"), ==,
                     without);
    fc_program_stop(&program);
}

/* A list has an end; no call is lost by it.  Listed are who lives at the end, and who took most. */
static void test_more_threads_than_are_listed(void)
{
    const guint32 listed = 262144;
    const guint32 busy = 250000;
    gboolean is_busy_listed = FALSE;
    FcProgram program;
    fc_program_start(&program);
    fc_program_send(&program, FC_MSG_THREAD_START, 1, 1, 10);
    for (guint32 thread = 2; thread <= listed + 3; thread++)
    {
        fc_program_send(&program, FC_MSG_THREAD_START, thread, thread, 10);
        if (thread == busy)
        {
            fc_program_put_call(fc_program_claim(&program, 1, thread, 0), 0, 11, 'A');
            fc_program_give(&program, thread, 1, 2);
        }
        fc_program_send(&program, FC_MSG_THREAD_END, thread, 0, 10);
    }
    fc_process_finish(program.process, 200000, 1, FALSE);
    const guint count = program.process->results->len;
    const guint64 others = fc_program_note_count(program.process->repairs, "threads-not-listed");
    g_assert_cmpuint(count, <=, listed / 2 + 3);
    g_assert_cmpuint(count, >=, listed / 2);
    g_assert_cmpuint(count + others, ==, listed + 3);
    const FcThreadResult *rows = &g_array_index(program.process->results, FcThreadResult, 0);
    g_assert_cmpuint(rows[0].number, ==, 1);
    g_assert_false(rows[0].ended);
    for (guint i = 0; i < count; i++)
        is_busy_listed |= rows[i].number == busy && rows[i].calls == 1;
    g_assert_true(is_busy_listed);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 1);
    g_assert_cmpuint(program.process->losses->len, ==, 0);
    fc_program_stop(&program);
}

/* A thread whose own clock stands at 0 in its first events: in mode sys it has not yet been
 * in the kernel. */
static void test_clock_from_zero(void)
{
    FcProgram program;
    fc_program_start(&program);
    program.setup.clock.mode = FC_TIME_SYS;
    fc_program_send(&program, FC_MSG_THREAD_START, 2, 1002, 0);
    struct FcChunk *chunk = fc_program_claim(&program, 1, 2, 0);
    chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 0, 'A', 0x99, 1);
    chunk->records[1] = fc_fixture_record(FC_RECORD_EXIT, 7000, 'A', 0x99, 1);
    fc_program_give(&program, 2, 1, 2);
    fc_program_send(&program, FC_MSG_THREAD_END, 2, 0, 7000);
    const FcThreadResult *row = &g_array_index(program.process->results, FcThreadResult, 0);
    g_assert_cmpuint(row->start_time, ==, 0);
    g_assert_cmpuint(row->end_time, ==, 7000);
    fc_program_stop(&program);
}

static void test_data_in_the_pipe(void)
{
    FcProgram program;
    fc_program_start(&program);
    guint8 payload[1 + sizeof(struct FcDataHeader) + 5 * sizeof(struct FcUnit)] = {0};
    struct FcDataHeader header = {.count = 2 * FC_RECORD_UNITS, .generation = FIXTURE_GENERATION};
    struct FcRecord records[2] = {fc_fixture_record(FC_RECORD_ENTER, 10, 'A', 0x99, 0),
                                  fc_fixture_record(FC_RECORD_EXIT, 14, 'A', 0x99, 0)};
    memcpy(payload + 1, &header, sizeof header); /* not aligned */
    memcpy(payload + 1 + sizeof header, records, sizeof records);
    FcWireMessage message = {.type = FC_MSG_CHUNK_DATA,
                             .process = PROGRAM_KEY,
                             .thread = 1,
                             .payload = payload + 1,
                             .payload_bytes = sizeof payload - 1};
    fc_process_message(program.process, &message);
    fc_process_finish(program.process, 20, 1, FALSE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 1);
    g_assert_cmpuint(fc_fixture_function(program.process->counts, 'A')->total, ==, 4);
    fc_program_stop(&program);
}

static void test_answer(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 8, 1, 0);
    g_assert_true(fc_shared_answer(program.setup.shared, 8, PROGRAM_KEY, "done"));
    g_assert_cmpuint(chunk->answer, ==, 1);
    g_assert_cmpuint(chunk->answer_bytes, ==, 4);
    g_assert_cmpmem(chunk->records, 4, "done", 4);
    g_assert_false(fc_shared_answer(program.setup.shared, 8, PROGRAM_KEY + 1, "no"));
    g_assert_false(fc_shared_answer(program.setup.shared, PROGRAM_CHUNKS + 1, PROGRAM_KEY, "no"));
    fc_program_stop(&program);
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

/* How many pages of the mapping of all chunks that `view` is in are in its page table. */
static guint count_mapped_pages(const FcChunkView *view)
{
    const guintptr page_bytes = (guintptr)sysconf(_SC_PAGESIZE);
    const guintptr first = (guintptr)view->units - offsetof(struct FcChunk, units) -
                           view->index * (guintptr)FC_CHUNK_BYTES;
    const int fd = open("/proc/self/pagemap", O_RDONLY);
    g_assert_cmpint(fd, >=, 0);
    guint count = 0;
    for (guintptr page = 0; page < (1 + PROGRAM_CHUNKS) * FC_CHUNK_BYTES / page_bytes; page++)
    {
        guint64 entry;
        const off_t at = (off_t)((first / page_bytes + page) * sizeof entry);
        g_assert_cmpint(pread(fd, &entry, sizeof entry, at), ==, sizeof entry);
        count += entry >> 63; /* proc_pid_pagemap(5): present */
    }
    close(fd);
    return count;
}

/* To look for the chunks of one process maps none that others wrote to, of those that do not stay
 * mapped. */
static void test_chunks_of_others(void)
{
    FcProgram program;
    fc_program_start(&program);
    const guint32 own = FC_SHARED_RESIDENT + 9;
    for (guint32 index = FC_SHARED_RESIDENT + 1; index <= PROGRAM_CHUNKS; index++)
    {
        struct FcChunk *chunk = fc_program_claim(&program, index, 1, index);
        chunk->owner = index == own ? PROGRAM_KEY : PROGRAM_KEY + 1;
        memset(chunk->units, 1, sizeof chunk->units);
    }
    g_autoptr(GArray) views =
        fc_shared_owned(program.setup.shared, PROGRAM_KEY, FC_CHUNK_OF_RECORDS);
    g_assert_cmpuint(views->len, ==, 1);
    const FcChunkView *view = &g_array_index(views, FcChunkView, 0);
    g_assert_cmpuint(view->index, ==, own);
    fc_shared_free_all(program.setup.shared, PROGRAM_KEY);
    g_assert_cmpuint(fc_program_chunk(&program, own)->owner, ==, 0);
    g_assert_cmpuint(fc_program_chunk(&program, own + 1)->owner, ==, PROGRAM_KEY + 1);
    g_assert_cmpuint(count_mapped_pages(view), <, PROGRAM_CHUNKS - FC_SHARED_RESIDENT);
    fc_program_stop(&program);
}

/* Whatever takes longer than a profile's last bucket says is in that, and nothing is lost. */
static void test_longest(void)
{
    const guint64 day = G_GUINT64_CONSTANT(86400000000000);
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
    fc_program_put_call(chunk, 0, 10, 'A');
    for (guint call = 1; call <= 3; call++)
    {
        const guint64 begun = 10 * call * day;
        chunk->records[2 * call] = fc_fixture_record(FC_RECORD_ENTER, begun, 'A', 0x99, 0);
        chunk->records[2 * call + 1] =
            fc_fixture_record(FC_RECORD_EXIT, begun + ((guint64)1 << (45 + call)), 'A', 0x99, 0);
    }
    fc_program_give(&program, 1, 1, 8);
    fc_process_finish(program.process, 40 * day, 1, FALSE);
    FcProfile *profile = fc_output_process(program.process, "x");
    g_assert_cmpuint(profile->functions->len, ==, 1);
    const FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, 0);
    g_assert_cmpuint(fc_histogram_get(&function->histogram, FC_HISTOGRAM_BUCKETS - 1), ==, 3);
    guint64 calls = 0;
    for (guint bucket = 0; bucket < FC_HISTOGRAM_BUCKETS; bucket++)
        calls += fc_histogram_get(&function->histogram, bucket);
    g_assert_cmpuint(calls, ==, 4);
    fc_profile_free(profile);
    fc_program_stop(&program);
}

/* What a snapshot's child has: nothing that is recorded from then on, and nothing that it does
 * shows in the program's memory. */
static void test_frozen(void)
{
    FcProgram program;
    fc_program_start(&program);
    struct FcChunk *first = fc_program_claim(&program, 150, 1, 0); /* beyond FC_SHARED_RESIDENT */
    struct FcChunk *second = fc_program_claim(&program, 2, 1, 1);
    struct FcChunk *counts = fc_program_claim(&program, 7, 1, 0);
    struct FcChunk *others = fc_program_claim(&program, 5, 1, 0);
    others->owner = PROGRAM_KEY + 1;
    fc_program_put_call(others, 0, 10, 'O');
    counts->kind = FC_CHUNK_OF_COUNTS;
    counts->counts[0] =
        (struct FcCount){.word = UINT64_C(5) << 16, .function = fc_fixture_address('C')};
    fc_program_put_call(first, 0, 10, 'A');
    fc_program_put_call(second, 0, 20, 'A');
    g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(guint64));
    const guint64 key = PROGRAM_KEY;
    g_array_append_val(keys, key);
    g_autofree FcSharedCopy *copy = fc_shared_copy(program.setup.shared, keys);
    fc_program_put_call(second, 2, 30, 'L');
    fc_program_put_call(fc_program_claim(&program, 3, 1, 2), 0, 40, 'L');
    g_assert_true(copy && fc_shared_freeze(program.setup.shared, copy));
    fc_program_put_call(fc_program_claim(&program, 160, 1, 3), 0, 50, 'L');
    counts->counts[0].word = UINT64_C(9) << 16;
    fc_process_finish(program.process, 60, 0, TRUE);
    g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 2);
    g_assert_cmpuint(fc_program_calls(&program, 'C'), ==, 5);
    g_assert_cmpuint(fc_program_calls(&program, 'L'), ==, 0);
    g_assert_cmpuint(fc_program_calls(&program, 'O'), ==, 0);
    fc_shared_free_all(program.setup.shared, PROGRAM_KEY);
    g_assert_cmpuint(first->owner, ==, PROGRAM_KEY);
    g_assert_cmpuint(second->ready, ==, 1);
    fc_program_stop(&program);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/process/chunks", test_chunks);
    g_test_add_func("/process/unsealed", test_unsealed);
    g_test_add_func("/process/chunks-of-others", test_chunks_of_others);
    g_test_add_func("/process/death", test_death);
    g_test_add_func("/process/frozen", test_frozen);
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
    g_test_add_func("/process/answer", test_answer);
    g_test_add_func("/process/longest", test_longest);
    return g_test_run();
}
