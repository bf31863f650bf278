/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chunks of counters, as a program and as a liar fill them: when they are read and given back.
 */
#include "fcmanager/session/output.h"
#include "fcmanager/session/process-messages.h"
#include "tests/unit/asan.h"
#include "tests/unit/manager_fixture.h"

#include <string.h>
#include <sys/mman.h>

#define CHUNKS 8u
#define BYTES ((1 + CHUNKS) * (gsize)FC_CHUNK_BYTES)
#define KEY (UINT64_C(77) << 32 | 1)
#define SITE(letter, number) fc_fixture_site((letter), (number))

typedef struct
{
    FcProcessSetup setup;
    struct FcShared *memory;
    FcProcess *process;
} Fixture;

static void start(Fixture *f)
{
    memset(f, 0, sizeof *f);
    fc_clock_start(&f->setup.clock, FC_TIME_EXT);
    f->setup.clock.readable = FALSE;
    f->setup.profile_mode = FC_MODE_FORK;
    f->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(f->memory != MAP_FAILED);
    f->memory->magic = FC_SHARED_MAGIC;
    f->memory->version = FC_WIRE_VERSION;
    f->memory->chunk_count = CHUNKS;
    f->setup.shared = fc_shared_new(f->memory, BYTES, NULL);
    g_assert_nonnull(f->setup.shared);
    const struct FcHello hello = {
        .version = FC_WIRE_VERSION, .pid = 77, .thread = 1, .start_time = 5};
    f->process = fc_process_new(&f->setup, KEY, &hello, NULL);
}

static void stop(Fixture *f)
{
    fc_process_free(f->process);
    fc_shared_unmap(f->setup.shared); /* and the memory */
}

static struct FcChunk *claim(Fixture *f, guint32 index, guint32 thread, enum FcChunkKind kind)
{
    struct FcChunk *chunk = (struct FcChunk *)((char *)f->memory + (gsize)index * FC_CHUNK_BYTES);
    g_assert_cmpuint(chunk->owner, ==, 0);
    chunk->owner = KEY;
    chunk->generation = FIXTURE_GENERATION;
    chunk->thread = thread;
    chunk->kind = kind;
    chunk->ready = 1;
    return chunk;
}

static void count(struct FcChunk *chunk, guint slot, char letter, guint64 site, guint64 sum,
                  gint16 ahead)
{
    chunk->counts[slot] = (struct FcCount){.word = sum << 16 | (guint16)ahead,
                                           .site = site,
                                           .time = 7,
                                           .function = fc_fixture_address(letter)};
}

static void send(Fixture *f, enum FcMessageType type, guint32 thread, guint32 argument)
{
    FcWireMessage message = {
        .type = type, .process = KEY, .thread = thread, .argument = argument, .value = 100};
    fc_process_message(f->process, &message);
}

static guint64 calls_of(Fixture *f, char letter)
{
    const FcCountsFunction *function = fc_fixture_function(f->process->counts, letter);
    return function ? function->calls : 0;
}

static guint64 arc_calls(Fixture *f, guint64 site, char letter)
{
    guint64 calls = 0;
    const FcCounts *counts = f->process->counts;
    for (guint32 i = 0; i < counts->arc_count; i++)
        if (counts->arcs[i].site == site &&
            counts->functions[counts->arcs[i].callee].address == fc_fixture_address(letter))
            calls += counts->arcs[i].calls;
    return calls;
}

/* Read and given back at the thread's end: not before, as it counts on. */
static void test_thread_end(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 3, 2, FC_CHUNK_OF_COUNTS);
    send(&f, FC_MSG_COUNTS, 2, 3);
    count(chunk, 0, 'B', SITE('A', 0), 1000, 40);
    count(chunk, 1, 'B', SITE('A', 1), 64, -3);
    g_assert_cmpuint(chunk->owner, ==, KEY);
    g_assert_cmpuint(calls_of(&f, 'B'), ==, 0);
    send(&f, FC_MSG_THREAD_END, 2, 0);
    g_assert_cmpuint(chunk->owner, ==, 0);
    g_assert_cmpuint(calls_of(&f, 'B'), ==, 960 + 67);
    g_assert_cmpuint(arc_calls(&f, SITE('A', 0), 'B'), ==, 960);
    g_assert_cmpuint(arc_calls(&f, SITE('A', 1), 'B'), ==, 67);
    fc_process_finish(f.process, 200, 1, FALSE);
    g_assert_cmpuint(f.process->losses->len, ==, 0);
    stop(&f);
}

/* At the end of the process, dead or not; also of chunks that it did not come to tell of. */
static void test_process_end(void)
{
    for (int dead = 0; dead < 2; dead++)
    {
        Fixture f;
        start(&f);
        count(claim(&f, 1, 1, FC_CHUNK_OF_COUNTS), 0, 'B', SITE('A', 0), 10, 0);
        count(claim(&f, 2, 1, FC_CHUNK_OF_COUNTS), 5, 'B', SITE('A', 0), 20, 1);
        count(claim(&f, 4, 7, FC_CHUNK_OF_COUNTS), 2045, 'C', SITE('A', 0), 5, 0);
        send(&f, FC_MSG_COUNTS, 1, 1);
        fc_process_finish(f.process, 200, 1, dead == 1);
        g_assert_cmpuint(calls_of(&f, 'B'), ==, 29);
        g_assert_cmpuint(calls_of(&f, 'C'), ==, 5);
        g_assert_cmpuint(f.process->losses->len, ==, 0);
        fc_shared_free_all(f.setup.shared, KEY);
        g_assert_cmpuint(claim(&f, 1, 1, FC_CHUNK_OF_RECORDS)->owner, ==, KEY);
        stop(&f);
    }
}

/* Chunks are what they say that they are. */
static void test_kinds(void)
{
    Fixture f;
    start(&f);
    count(claim(&f, 1, 1, FC_CHUNK_OF_COUNTS), 0, 'B', SITE('A', 0), 10, 0);
    claim(&f, 2, 1, FC_CHUNK_OF_RECORDS);
    claim(&f, 3, 2, FC_CHUNK_OF_COUNTS);
    claim(&f, 4, 1, (enum FcChunkKind)9);
    send(&f, FC_MSG_CHUNK, 1, 1);  /* has counters */
    send(&f, FC_MSG_COUNTS, 1, 2); /* has records */
    send(&f, FC_MSG_COUNTS, 1, 3); /* is another thread's */
    send(&f, FC_MSG_COUNTS, 1, 4); /* is nothing */
    send(&f, FC_MSG_COUNTS, 1, 5); /* is nobody's */
    send(&f, FC_MSG_COUNTS, 1, CHUNKS + 1);
    send(&f, FC_MSG_COUNTS, 0, 1);
    send(&f, FC_MSG_COUNTS, 1, 1);
    send(&f, FC_MSG_COUNTS, 1, 1); /* taken */
    fc_process_finish(f.process, 200, 1, TRUE);
    g_assert_cmpuint(f.process->losses->len, ==, 1);
    g_assert_cmpuint(g_array_index(f.process->losses, FcProfileNote, 0).count, ==, 8);
    g_assert_cmpuint(calls_of(&f, 'B'), ==, 10);
    stop(&f);
}

static void send_costs(Fixture *f, const struct FcOverhead *costs, gsize bytes)
{
    FcWireMessage message = {.type = FC_MSG_STARTED,
                             .process = KEY,
                             .payload = (const guint8 *)costs,
                             .payload_bytes = bytes};
    fc_process_message(f->process, &message);
}

/* A calls B twice: 5 ticks of a recorded call lie between its times, 7 around them. */
static void test_costs(void)
{
    const struct FcOverhead costs = {12 * 256, 5 * 256, 256, 0};
    const struct FcOverhead absurd = {G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32};
    for (int round = 0; round < 3; round++)
    {
        Fixture f;
        start(&f);
        send_costs(&f, round == 2 ? &absurd : &costs, round == 1 ? 7 : sizeof costs);
        struct FcChunk *chunk = claim(&f, 1, 1, FC_CHUNK_OF_RECORDS);
        const guint64 site = SITE('A', 0);
        chunk->records[0] = fc_fixture_record(FC_RECORD_ENTER, 100, 'A', 0x99, 1);
        chunk->records[1] = fc_fixture_record(FC_RECORD_ENTER, 110, 'B', site, 2);
        chunk->records[2] = fc_fixture_record(FC_RECORD_EXIT, 125, 'B', site, 2);
        chunk->records[3] = fc_fixture_record(FC_RECORD_ENTER, 140, 'B', site, 2);
        chunk->records[4] = fc_fixture_record(FC_RECORD_EXIT, 143, 'B', site, 2);
        chunk->records[5] = fc_fixture_record(FC_RECORD_EXIT, 200, 'A', 0x99, 1);
        fc_process_finish(f.process, 200, 1, TRUE);
        const FcCountsFunction *a = fc_fixture_function(f.process->counts, 'A');
        const FcCountsFunction *b = fc_fixture_function(f.process->counts, 'B');
        const guint64 a_cost = round == 0 ? 5 + 2 * 7 : a->cost_local;
        g_assert_cmpuint(a->cost_local, ==, a_cost);
        g_assert_cmpuint(a->local + a->cost_local, ==, 82);
        g_assert_cmpuint(a->total + a->cost_total, ==, 100);
        g_assert_cmpuint(b->local + b->cost_local, ==, 18);
        if (round == 0)
        {
            g_assert_cmpuint(b->local, ==, 18 - 2 * 5);
            g_assert_cmpuint(a->total, ==, 100 - 5 - 2 * 12);
            g_assert_cmpuint(fc_counts_cost(f.process->counts->node_costs, 1).total, ==, 29);
            g_assert_cmpuint(fc_counts_cost(f.process->counts->arc_costs, 1).total, ==, 10);
        }
        if (round == 1)
            g_assert_cmpuint(a->cost_local, ==, 0);
        g_assert_cmpuint(f.process->losses->len, ==, round == 1);
        stop(&f);
    }
}

/* Any bytes at all: the sums of functions, contexts and arcs are one another's all the same. */
static void test_scribbled(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(12);
    /* of both kinds, and of few and many functions */
    for (guint round = 0; round < 12; round += FIXTURE_ASAN ? 3 : 1)
    {
        Fixture f;
        start(&f);
        struct FcChunk *records = claim(&f, 1, 1, FC_CHUNK_OF_RECORDS);
        struct FcChunk *counts = claim(&f, 2, 1, FC_CHUNK_OF_COUNTS);
        guint few = round % 2 == 0 ? 4 : 26;
        for (guint i = 0; i < FC_CHUNK_RECORDS; i++)
        {
            enum FcRecordKind kinds[] = {FC_RECORD_ENTER, FC_RECORD_EXIT, FC_RECORD_COUNT};
            char letter = (char)('A' + g_rand_int_range(rand, 0, (gint)few));
            guint64 site = SITE('A' + g_rand_int_range(rand, 0, (gint)few), 0);
            records->records[i] =
                fc_fixture_record(kinds[g_rand_int_range(rand, 0, 3)], 10 + i, letter, site,
                                  (guint)g_rand_int_range(rand, 0, 40));
            if ((records->records[i].where & FC_WHERE_KIND_MASK) == FC_RECORD_COUNT)
                records->records[i].function |= (guint64)g_rand_int_range(rand, 0, 10)
                                                << FC_COUNT_RECORD_SHIFT;
            counts->counts[i] =
                (struct FcCount){g_rand_int(rand), SITE('A' + i % few, i / few % 3),
                                 g_rand_int(rand), fc_fixture_address('A' + i % few)};
            if (round >= 6 && i % 7 == 0)
                counts->counts[i] = (struct FcCount){
                    G_MAXUINT64 - g_rand_int(rand), g_rand_int(rand) * UINT64_C(0x100010001),
                    G_MAXUINT64, g_rand_int(rand) * UINT64_C(0x1000100010001)};
        }
        fc_process_finish(f.process, 200, 1, TRUE);
        const FcCounts *sums = f.process->counts;
        g_autofree guint64 *by_arcs = g_new0(guint64, sums->function_count);
        for (guint32 i = 0; i < sums->arc_count; i++)
            by_arcs[sums->arcs[i].callee] += sums->arcs[i].calls;
        for (guint32 i = 0; i < sums->function_count; i++)
            g_assert_cmpuint(sums->functions[i].calls, ==, by_arcs[i]);
        guint64 local = 0;
        for (guint32 i = 1; i < sums->node_count; i++)
            local += sums->nodes[i].local;
        g_assert_cmpuint(local, <, FC_CHUNK_RECORDS); /* no more than passed: none is negative */
        stop(&f);
    }
}

static void send_module(Fixture *f, enum FcMessageType type, guint64 start, const char *path,
                        guint64 time)
{
    struct
    {
        struct FcModuleInfo info;
        char path[8];
    } payload = {
        .info = {.base = start, .start = start, .end = start + 0x1000, .build_id_bytes = 1}};
    payload.info.build_id[0] = (guint8)path[0];
    g_strlcpy(payload.path, path, sizeof payload.path);
    const FcWireMessage message = {.type = type,
                                   .process = KEY,
                                   .value = time,
                                   .payload = (const guint8 *)&payload,
                                   .payload_bytes = sizeof payload.info + strlen(path)};
    fc_process_message(f->process, &message);
}

static guint64 calls_in_module(Fixture *f, const char *path)
{
    guint64 calls = 0;
    const FcCounts *counts = f->process->counts;
    for (guint32 i = 0; i < counts->function_count; i++)
        if (counts->functions[i].module != FC_NONE &&
            strcmp(fc_modules_get(f->process->modules, (guint)counts->functions[i].module)->path,
                   path) == 0)
            calls += counts->functions[i].calls;
    return calls;
}

/* Libraries that take each other's place, until the manager lists no further ones and opens the old
 * ones again: what was counted in one is not the other's. */
static void test_crowded(void)
{
    const guint64 place = fc_fixture_address('B');
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 1, 1, FC_CHUNK_OF_COUNTS);
    send(&f, FC_MSG_COUNTS, 1, 1);
    guint slot = 0;
    for (guint64 turn = 0; turn < 6; turn++)
    {
        const guint64 time = 1000 * (turn + 1);
        const char *path = turn % 2 == 0 ? "red" : "green";
        send_module(&f, FC_MSG_MODULE_LOAD, place, path, time);
        count(chunk, slot, 'B', SITE('A', 0), 100 + turn, 0);
        chunk->counts[slot++].time = time + 10;
        send_module(&f, FC_MSG_MODULE_UNLOAD, place, path, time + 20);
        if (turn != 2)
            continue;
        for (guint i = 0; i < 4096; i++)
        {
            send_module(&f, FC_MSG_MODULE_LOAD, UINT64_C(0x10000000) + i * 0x1000, "other", time);
            send_module(&f, FC_MSG_MODULE_UNLOAD, UINT64_C(0x10000000) + i * 0x1000, "other", time);
        }
    }
    fc_process_finish(f.process, 9000, 1, TRUE);
    g_assert_cmpuint(calls_in_module(&f, "red"), ==, 100 + 102 + 104);
    g_assert_cmpuint(calls_in_module(&f, "green"), ==, 101 + 103 + 105);
    stop(&f);
}

/* Figures of MPI are copied when the process ends; a liar's are refused or passed over. */
static void test_mpi(void)
{
    Fixture f;
    start(&f);
    struct FcChunk *chunk = claim(&f, 4, 1, FC_CHUNK_OF_MPI);
    claim(&f, 5, 1, FC_CHUNK_OF_COUNTS);
    memset(&chunk->mpi, 0, sizeof chunk->mpi);
    send(&f, FC_MSG_MPI, 1, 5);
    send(&f, FC_MSG_MPI, 1, 4);
    send(&f, FC_MSG_MPI, 1, 4);
    chunk->mpi.rank = 3;
    chunk->mpi.partners[7] = (struct FcMpiPartner){.key = 9, .sent = 2, .sent_bytes = 30};
    chunk->mpi.partners[8] = (struct FcMpiPartner){.key = G_MAXUINT64, .sent = 1};
    chunk->mpi.partners[3] =
        (struct FcMpiPartner){.key = 1, .posted = 4, .posted_bytes = 50}; /* from any */
    chunk->mpi.collectives[1] =
        (struct FcMpiCollective){.key = 1, .function = 70, .site = 80, .calls = 6, .ns = 9};
    chunk->mpi.collectives[2] = (struct FcMpiCollective){.key = 1, .calls = 6, .ns = 9};
    fc_process_finish(f.process, 200, 1, TRUE);
    memset(&chunk->mpi, 0xff, sizeof chunk->mpi); /* the next process's */
    g_autoptr(FcProfile) profile = fc_output_process(f.process, "id");
    g_assert_cmpuint(profile->partners->len, ==, 2);
    const FcProfilePartner *partners = (const FcProfilePartner *)(gpointer)profile->partners->data;
    g_assert_cmpint(partners[0].peer, ==, FC_PARTNER_ANY);
    g_assert_cmpuint(partners[0].posted_bytes, ==, 50);
    g_assert_cmpint(partners[1].rank, ==, 2);
    g_assert_cmpint(partners[1].peer, ==, 5);
    g_assert_cmpuint(partners[1].sent_bytes, ==, 30);
    g_assert_cmpuint(profile->collectives->len, ==, 1);
    g_assert_cmpuint(g_array_index(profile->collectives, FcProfileCollective, 0).calls, ==, 6);
    g_assert_cmpuint(profile->losses->len, ==, 1);
    g_assert_cmpuint(g_array_index(profile->losses, FcProfileNote, 0).count, ==, 2);
    stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/counters/thread-end", test_thread_end);
    g_test_add_func("/counters/process-end", test_process_end);
    g_test_add_func("/counters/kinds", test_kinds);
    g_test_add_func("/counters/costs", test_costs);
    g_test_add_func("/counters/scribbled", test_scribbled);
    g_test_add_func("/counters/crowded", test_crowded);
    g_test_add_func("/counters/mpi", test_mpi);
    return g_test_run();
}
