/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Short records in chunks: what is missing between them, whatever the chunk held before, costs no
 * other; names that were given and such that were not; times far apart.
 */
#include "tests/unit/manager_fixture.h"
#include "tests/unit/program_fixture.h"

#include "fcmanager/session/process-messages.h"

#include <string.h>

#define SITE UINT64_C(0x99)
#define RUNS 300u
#define CALLS 60u
#define OLD_GENERATION (FC_GENERATION_LONG | 2u)

static guint32 below(GRand *random, guint32 limit)
{
    return (guint32)g_rand_int_range(random, 0, (gint32)limit);
}

/* The functions A, B, C, ... have the names 1, 2, 3, ... in the thread. */
static void send_names(FcProgram *program, guint count)
{
    struct FcCallSite names[26];
    for (guint i = 0; i < count; i++)
        names[i] = (struct FcCallSite){fc_fixture_address((char)('A' + i)),
                                       SITE | (guint64)(i + 1) << FC_SITE_NUMBER_SHIFT};
    FcWireMessage message = {.type = FC_MSG_CALL_SITES,
                             .process = PROGRAM_KEY,
                             .thread = 1,
                             .value = FIXTURE_LOW,
                             .payload = (const guint8 *)names,
                             .payload_bytes = count * sizeof *names};
    fc_process_message(program->process, &message);
}

/* An entry or exit of a function by its number, long or short: how many units it has. */
static guint32 make(enum FcRecordKind kind, guint64 time, guint which, gboolean is_short,
                    struct FcUnit units[FC_RECORD_UNITS])
{
    const struct FcRecord record =
        fc_fixture_record(kind, time, (char)('A' + which), SITE, 1 + which);
    if (!is_short)
        memcpy(units, &record, sizeof record);
    else
        units[0] = fc_fixture_short(&record, which + 1);
    return is_short ? 1 : FC_RECORD_UNITS;
}

/* What an earlier use of the chunk left: anything at all, in that generation. */
static void fill_with_old(struct FcChunk *chunk, GRand *random)
{
    for (guint32 i = 0; i < FC_CHUNK_UNITS; i++)
    {
        const guint64 generation =
            below(random, 2) != 0 ? OLD_GENERATION : FC_GENERATION_OF_SHORT(OLD_GENERATION);
        chunk->units[i] =
            (struct FcUnit){(guint64)g_rand_int(random) << 32 | g_rand_int(random),
                            g_rand_int(random) | generation << FC_SITE_GENERATION_SHIFT};
        if (below(random, 3) == 0) /* a time */
            chunk->units[i].last = g_rand_int(random);
    }
}

/* Calls of three functions, one in the other, of which some records are missing: their units hold
 * what was there before.  How many entries are there, of each. */
static guint32 fill(struct FcChunk *chunk, GRand *random, guint32 missing_percent, guint64 *calls,
                    guint32 *missing)
{
    guint32 at = 0;
    guint64 time = 100;
    for (guint call = 0; call < CALLS; call++)
        for (guint step = 0; step < 6; step++)
        {
            const guint which = step < 3 ? step : 5 - step;
            const enum FcRecordKind kind = step < 3 ? FC_RECORD_ENTER : FC_RECORD_EXIT;
            struct FcUnit units[FC_RECORD_UNITS];
            const guint32 count = make(kind, time++, which, below(random, 2) != 0, units);
            if (below(random, 100) < missing_percent)
                *missing += 1;
            else
            {
                memcpy(&chunk->units[at], units, count * sizeof *units);
                calls[which] += kind == FC_RECORD_ENTER;
            }
            at += count;
        }
    return at;
}

static void check_calls(FcProgram *program, const guint64 *calls)
{
    for (guint i = 0; i < 3; i++)
        g_assert_cmpuint(fc_program_calls(program, (char)('A' + i)), ==, calls[i]);
}

/* The process is dead: whatever is there counts. */
static void test_gaps_at_death(void)
{
    GRand *random = g_rand_new_with_seed(1);
    for (guint run = 0; run < RUNS; run++)
    {
        FcProgram program;
        guint64 calls[3] = {0};
        guint32 missing = 0;
        fc_program_start(&program);
        send_names(&program, 3);
        struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
        fill_with_old(chunk, random);
        fill(chunk, random, run % 40, calls, &missing);
        fc_process_finish(program.process, 5000, 0, TRUE);
        check_calls(&program, calls);
        g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), <=, missing);
        g_assert_cmpuint(fc_program_note_count(program.process->losses, "bad-records"), ==, 0);
        fc_program_stop(&program);
    }
    g_rand_free(random);
}

/* A hook that a handler interrupted comes back to fill its units: all counts, in its place. */
static void test_gap_filled_later(void)
{
    for (guint is_short = 0; is_short < 2; is_short++)
    {
        FcProgram program;
        struct FcUnit units[FC_RECORD_UNITS];
        fc_program_start(&program);
        send_names(&program, 2);
        struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
        const guint32 gap = make(FC_RECORD_ENTER, 9, 0, is_short != 0, units);
        guint32 at = gap;
        at += make(FC_RECORD_ENTER, 10, 1, TRUE, &chunk->units[at]);
        at += make(FC_RECORD_EXIT, 12, 1, FALSE, &chunk->units[at]);
        at += make(FC_RECORD_EXIT, 15, 0, TRUE, &chunk->units[at]);
        fc_program_send(&program, FC_MSG_CHUNK, 1, 1, at);
        g_assert_cmpuint(chunk->owner, ==, PROGRAM_KEY); /* may still be written to */
        memcpy(chunk->units, units, gap * sizeof *units);
        fc_process_retry(program.process);
        g_assert_cmpuint(chunk->owner, ==, 0);
        fc_process_finish(program.process, 30, 1, FALSE);
        const FcCountsNode *node = fc_fixture_context(program.process->counts, "AB");
        g_assert_nonnull(node);
        g_assert_cmpuint(node->calls, ==, 1);
        g_assert_cmpuint(node->total, ==, 2);
        g_assert_cmpuint(fc_fixture_context(program.process->counts, "A")->total, ==, 6);
        g_assert_cmpuint(fc_program_note_count(program.process->repairs, "gaps"), ==, 0);
        fc_program_stop(&program);
    }
}

/* A name that was not given means nothing; one that was given in between does. */
static void test_names(void)
{
    const struct FcCallSite none = {fc_fixture_address('A'), SITE};
    FcFixture f;
    fc_fixture_start(&f);
    fc_stack_set_sites(f.stack, FIXTURE_LOW, &none, 1);
    struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', SITE, 1);
    struct FcRecord end = fc_fixture_record(FC_RECORD_EXIT, 12, 'A', SITE, 1);
    struct FcUnit units[6] = {fc_fixture_short(&entry, 7), fc_fixture_short(&entry, 0),
                              fc_fixture_short(&entry, FC_SITE_NUMBER_MASK)};
    g_assert_cmpuint(fc_fixture_feed_units(&f, units, 0, 3), ==, 3);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 3);
    g_assert_null(fc_fixture_function(f.counts, 'A'));
    entry.function |= UINT64_C(7) << FC_SITE_NUMBER_SHIFT;
    memcpy(&units[3], &entry, sizeof entry);
    units[5] = fc_fixture_short(&end, 7);
    g_assert_cmpuint(fc_fixture_feed_units(&f, units, 3, 6), ==, 6);
    entry.time = 20;
    end.time = 25;
    units[0] = fc_fixture_short(&entry, 7);
    units[1] = fc_fixture_short(&end, 7);
    g_assert_cmpuint(fc_fixture_feed_units(&f, units, 0, 2), ==, 2);
    g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->calls, ==, 2);
    g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->total, ==, 7);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 3);
    fc_fixture_stop(&f);
}

/* Beyond 2^48 ticks, and as late after a long record as a short one may come. */
static void test_times(void)
{
    const guint64 start = UINT64_C(0x0005fffffffffff0);
    const guint64 late = start + (UINT64_C(1) << FC_SHORT_TIME_BITS) - 1;
    FcFixture f;
    fc_fixture_start(&f);
    fc_stack_set_sites(f.stack, FIXTURE_LOW, NULL, 0);
    struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, start, 'A', SITE, 1);
    const struct FcRecord inner = fc_fixture_record(FC_RECORD_ENTER, late, 'B', SITE, 2);
    const struct FcRecord back = fc_fixture_record(FC_RECORD_EXIT, late - 5, 'B', SITE, 2);
    const struct FcRecord end = fc_fixture_record(FC_RECORD_EXIT, late + 9, 'A', SITE, 1);
    const struct FcCallSite other = {fc_fixture_address('B'), SITE | UINT64_C(2)
                                                                         << FC_SITE_NUMBER_SHIFT};
    fc_stack_set_sites(f.stack, FIXTURE_LOW, &other, 1);
    entry.function |= UINT64_C(1) << FC_SITE_NUMBER_SHIFT;
    struct FcUnit units[5];
    memcpy(units, &entry, sizeof entry);
    units[2] = fc_fixture_short(&inner, 2);
    units[3] = fc_fixture_short(&back, 2); /* another processor's clock */
    units[4] = fc_fixture_short(&end, 1);
    g_assert_cmpuint(fc_fixture_feed_units(&f, units, 0, 5), ==, 5);
    g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->total, ==, late + 9 - start);
    g_assert_cmpuint(fc_fixture_function(f.counts, 'B')->total, ==, 0);
    g_assert_cmpuint(fc_stack_last_time(f.stack), ==, late + 9);
    fc_fixture_stop(&f);
}

/* The record that gives a name was given up, as too much was held back behind it: what follows has
 * the name all the same. */
static void test_name_given_up(void)
{
    for (guint is_dead = 0; is_dead < 2; is_dead++)
    {
        FcProgram program;
        fc_program_start(&program);
        send_names(&program, 0);
        struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, 5, 'A', SITE, 1);
        entry.function |= UINT64_C(1) << FC_SITE_NUMBER_SHIFT;
        struct FcChunk *chunk = fc_program_claim(&program, 1, 1, 0);
        fc_program_put_call(chunk, 1, 10, 'B');
        fc_program_send(&program, FC_MSG_CHUNK, 1, 1, 3 * FC_RECORD_UNITS);
        fc_thread_give_up(fc_process_thread(program.process, 1), TRUE);
        memcpy(chunk->records, &entry, sizeof entry);
        chunk = fc_program_claim(&program, 2, 1, 1);
        make(FC_RECORD_EXIT, 20, 0, TRUE, &chunk->units[0]);
        make(FC_RECORD_ENTER, 21, 0, TRUE, &chunk->units[1]);
        make(FC_RECORD_EXIT, 22, 0, TRUE, &chunk->units[2]);
        if (!is_dead)
            fc_program_send(&program, FC_MSG_CHUNK, 1, 2, 3);
        fc_process_finish(program.process, 30, 1, is_dead != 0);
        g_assert_cmpuint(fc_program_calls(&program, 'A'), ==, 1);
        g_assert_cmpuint(fc_program_calls(&program, 'B'), ==, 1);
        fc_program_stop(&program);
    }
}

/* Messages may say anything: number 0 stays no name, and no exit ends what is around all frames. */
static void test_wrong_names(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    const struct FcCallSite none = {fc_fixture_address('A'), SITE};
    const struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', SITE, 1);
    const struct FcUnit units[2] = {fc_fixture_short(&entry, 0),
                                    fc_fixture_short(&entry, FC_SITE_NUMBER_MASK)};
    fc_stack_set_sites(f.stack, FIXTURE_LOW, &none, 1);
    g_assert_cmpuint(fc_fixture_feed_units(&f, units, 0, 2), ==, 2);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 2);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 0);
    const struct FcUnit outside = {FC_SHORT_EXIT,
                                   20 | (guint64)FC_GENERATION_OF_SHORT(FIXTURE_GENERATION) << 48};
    fc_stack_set_sites(f.stack, G_MAXUINT64, NULL, 0);
    g_assert_cmpuint(fc_fixture_feed_units(&f, &outside, 0, 1), ==, 1);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 0);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 3);
    fc_fixture_stop(&f);
}

/* A record that is a little earlier than the one before it, which is beyond a multiple of 2^48. */
static void test_time_before_turn(void)
{
    const guint64 turn = UINT64_C(1) << 48;
    for (guint is_leaf = 0; is_leaf < 2; is_leaf++)
    {
        FcFixture f;
        fc_fixture_start(&f);
        fc_stack_set_sites(f.stack, FIXTURE_LOW, NULL, 0);
        struct FcRecord outer = fc_fixture_record(FC_RECORD_ENTER, turn + 5, 'A', SITE, 1);
        struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, turn + 6, 'A', SITE, 2);
        struct FcRecord exit = fc_fixture_record(FC_RECORD_EXIT, turn - 3, 'A', SITE, 2);
        struct FcRecord end = fc_fixture_record(FC_RECORD_EXIT, turn + 9, 'A', SITE, 1);
        if (!is_leaf)
            entry.time = turn - 4;
        outer.function |= UINT64_C(1) << FC_SITE_NUMBER_SHIFT;
        struct FcUnit units[5];
        memcpy(units, &outer, sizeof outer);
        units[2] = fc_fixture_short(&entry, 1);
        units[3] = fc_fixture_short(&exit, 1);
        units[4] = fc_fixture_short(&end, 1);
        g_assert_cmpuint(fc_fixture_feed_units(&f, units, 0, 5), ==, 5);
        g_assert_cmpuint(fc_stack_last_time(f.stack), ==, turn + 9);
        g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->total, ==, 4);
        fc_fixture_stop(&f);
    }
}

/* What is kept of single calls, from the first on: also where all arcs and functions are first met
 * in short records, as in a forked child that was told its parent's names. */
static void test_kept(void)
{
    const struct FcCallSite name = {fc_fixture_address('A'), SITE | UINT64_C(1)
                                                                        << FC_SITE_NUMBER_SHIFT};
    FcFixture f;
    fc_fixture_start(&f);
    f.counts->latency_room.limit = FC_LATENCY_BYTES_MAX;
    f.counts->slowest_most = 3;
    fc_stack_set_sites(f.stack, FIXTURE_LOW, &name, 1);
    fc_fixture_seen(&f, 5, 0, 0);
    struct FcUnit units[2 * CALLS];
    for (guint i = 0; i < CALLS; i++)
    {
        const struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, 10 + 10 * i, 'A', SITE, 1);
        const struct FcRecord exit = fc_fixture_record(FC_RECORD_EXIT, 13 + 10 * i, 'A', SITE, 1);
        units[2 * i] = fc_fixture_short(&entry, 1);
        units[2 * i + 1] = fc_fixture_short(&exit, 1);
    }
    g_assert_cmpuint(fc_fixture_feed_units(&f, units, 0, 2 * CALLS), ==, 2 * CALLS);
    g_assert_cmpuint(f.counts->arc_count, ==, 1);
    guint64 calls = 0;
    for (guint i = 0; i < f.counts->arc_latencies[0].count; i++)
        calls += f.counts->arc_latencies[0].calls[i];
    g_assert_cmpuint(calls, ==, CALLS);
    g_assert_cmpuint(f.counts->slowest[0].count, ==, 3);
    fc_fixture_stop(&f);
}

/* A name that is given again, which libfc does not do, is from then on what it was given last. */
static void test_name_given_again(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    for (guint i = 0; i < 2; i++)
    {
        const char letter = (char)('A' + i);
        const struct FcCallSite name = {fc_fixture_address(letter),
                                        SITE | UINT64_C(1) << FC_SITE_NUMBER_SHIFT};
        fc_stack_set_sites(f.stack, FIXTURE_LOW, &name, 1);
        for (guint call = 0; call < 3; call++)
        {
            const guint64 time = 100 * (i + 1) + 10 * call;
            const struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, time, letter, SITE, 1);
            const struct FcRecord exit =
                fc_fixture_record(FC_RECORD_EXIT, time + 4, letter, SITE, 1);
            const struct FcUnit units[2] = {fc_fixture_short(&entry, 1),
                                            fc_fixture_short(&exit, 1)};
            fc_fixture_feed_units(&f, units, 0, 2);
        }
    }
    g_assert_cmpuint(fc_fixture_function(f.counts, 'A')->calls, ==, 3);
    g_assert_cmpuint(fc_fixture_function(f.counts, 'B')->calls, ==, 3);
    fc_fixture_stop(&f);
}

static void feed_short(FcFixture *f, enum FcRecordKind kind, guint64 time, char letter, guint depth)
{
    const struct FcRecord record = fc_fixture_record(kind, time, letter, SITE, depth);
    const struct FcUnit unit = fc_fixture_short(&record, (guint64)(letter - 'A' + 1));
    g_assert_cmpuint(fc_fixture_feed_units(f, &unit, 0, 1), ==, 1);
}

/* A calls B, which waits; both end with short records, as they began. */
static void test_waits(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    for (guint i = 0; i < 2; i++)
    {
        const struct FcCallSite name = {fc_fixture_address((char)('A' + i)),
                                        SITE | (guint64)(i + 1) << FC_SITE_NUMBER_SHIFT};
        fc_stack_set_sites(f.stack, FIXTURE_LOW, &name, 1);
    }
    fc_fixture_seen(&f, 100000, 0, 3);
    feed_short(&f, FC_RECORD_ENTER, 100000, 'A', 1);
    feed_short(&f, FC_RECORD_ENTER, 110000, 'B', 2);
    fc_fixture_seen(&f, 150000, 30000, 4);
    feed_short(&f, FC_RECORD_EXIT, 150000, 'B', 2);
    feed_short(&f, FC_RECORD_EXIT, 200000, 'A', 1);
    fc_fixture_check(&f, 'A', 100000, 60000, 30000, 0);
    fc_fixture_check(&f, 'B', 40000, 40000, 30000, 30000);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 0);
    fc_fixture_stop(&f);
}

/* A hook that was stopped between its two stores, or before the first, where the chunk held a time
 * before: be it one whose highest bits are those of the generation. */
static void test_half_written(void)
{
    const struct FcRecord entry = fc_fixture_record(FC_RECORD_ENTER, 10, 'A', SITE, 1);
    for (guint64 high = 0; high < FC_GENERATION_SHORT; high++)
    {
        struct FcUnit units[FC_RECORD_UNITS] = {fc_fixture_short(&entry, 1)};
        units[0].last = high << 48 | 0x1234;
        g_assert_cmpuint(fc_record_units(units, FC_GENERATION_LONG | (guint32)high), ==, 0);
        units[0].first = entry.where;
        g_assert_cmpuint(fc_record_units(units, FC_GENERATION_LONG | (guint32)high), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/short/gaps-at-death", test_gaps_at_death);
    g_test_add_func("/short/gap-filled-later", test_gap_filled_later);
    g_test_add_func("/short/names", test_names);
    g_test_add_func("/short/times", test_times);
    g_test_add_func("/short/name-given-up", test_name_given_up);
    g_test_add_func("/short/wrong-names", test_wrong_names);
    g_test_add_func("/short/time-before-turn", test_time_before_turn);
    g_test_add_func("/short/waits", test_waits);
    g_test_add_func("/short/half-written", test_half_written);
    g_test_add_func("/short/kept", test_kept);
    g_test_add_func("/short/name-given-again", test_name_given_again);
    return g_test_run();
}
