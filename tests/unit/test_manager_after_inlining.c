/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stacks of code that was instrumented after inlining: its records hold exact addresses, and those
 * of exits no function.
 */
#include "tests/unit/manager_fixture.h"

#define SITE(letter, number) fc_fixture_site((letter), (number))

static void check_function(FcFixture *f, char letter, guint64 calls, guint64 total, guint64 local)
{
    const FcCountsFunction *function = fc_fixture_function(f->counts, letter);
    g_assert_nonnull(function);
    g_assert_cmpuint(function->calls, ==, calls);
    g_assert_cmpuint(function->total, ==, total);
    g_assert_cmpuint(function->local, ==, local);
}

/* A record of code that was instrumented after inlining; `address` is exact. */
static struct FcRecord after_inlining(enum FcRecordKind kind, guint64 time, char letter,
                                      guint64 site, guint64 address)
{
    struct FcRecord record = fc_fixture_record(kind, time, letter, site, 0);
    record.where = kind | (address & FC_WHERE_ADDRESS_MASK) | address << FC_WHERE_RETURN_SHIFT;
    record.function = kind == FC_RECORD_ENTER ? record.function : 0;
    record.function |= FC_FUNCTION_AFTER_INLINING;
    return record;
}

static void feed_all(FcFixture *f, const struct FcRecord *records, guint32 count)
{
    g_assert_cmpuint(fc_fixture_feed(f->stack, records, 0, count, FIXTURE_GENERATION), ==, count);
}

/* Exits that tell no function: the address does.  B is called with a stack that is 8 bytes off, as
 * gcc does with leaves of its own file. */
static void test_after_inlining(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    struct FcRecord records[] = {
        after_inlining(FC_RECORD_ENTER, 0, 'A', 0x99, 0x7008),
        after_inlining(FC_RECORD_ENTER, 10, 'B', SITE('A', 0), 0x7000),
        after_inlining(FC_RECORD_EXIT, 13, 'B', SITE('A', 0), 0x7000),
        after_inlining(FC_RECORD_ENTER, 20, 'B', SITE('A', 0), 0x7000),
        after_inlining(FC_RECORD_ENTER, 25, 'C', SITE('B', 0), 0x6fe8),
        after_inlining(FC_RECORD_EXIT, 26, 'C', SITE('B', 0), 0x6fe8),
        after_inlining(FC_RECORD_EXIT, 30, 'B', SITE('A', 0), 0x7000),
        after_inlining(FC_RECORD_EXIT, 100, 'A', 0x99, 0x7008),
    };
    feed_all(&f, records, G_N_ELEMENTS(records));
    check_function(&f, 'A', 1, 100, 87);
    check_function(&f, 'B', 2, 13, 12);
    check_function(&f, 'C', 1, 1, 1);
    g_assert_cmpuint(fc_fixture_arc(f.counts, 'A', SITE('A', 0), 'B')->total, ==, 13);
    g_assert_nonnull(fc_fixture_context(f.counts, "ABC"));
    g_assert_cmpuint(f.counts->repairs.jumps, ==, 0);
    g_assert_cmpuint(f.counts->repairs.missed_exits, ==, 0);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 0);
    fc_fixture_stop(&f);
}

/* What was tail-called returns for its caller as well; where two call each other that way for ever,
 * the stack does not grow. */
static void test_tail_calls_after_inlining(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    struct FcRecord records[] = {
        after_inlining(FC_RECORD_ENTER, 0, 'A', 0x99, 0x7008),
        after_inlining(FC_RECORD_ENTER, 10, 'B', SITE('A', 0), 0x6ff8),
        after_inlining(FC_RECORD_ENTER, 11, 'C', SITE('A', 0), 0x6ff8),
        after_inlining(FC_RECORD_EXIT, 30, 'C', SITE('A', 0), 0x6ff8),
    };
    feed_all(&f, records, G_N_ELEMENTS(records));
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 1);
    g_assert_cmpuint(fc_fixture_context(f.counts, "ABC")->total, ==, 19);
    check_function(&f, 'B', 1, 20, 1);
    g_assert_cmpuint(f.counts->repairs.jumps + f.counts->repairs.missed_exits, ==, 0);
    for (guint64 time = 40; time < 1000; time += 2)
    {
        struct FcRecord pair[] = {
            after_inlining(FC_RECORD_ENTER, time, 'B', SITE('A', 1), 0x6ff8),
            after_inlining(FC_RECORD_ENTER, time + 1, 'C', SITE('A', 1), 0x6ff8),
        };
        feed_all(&f, pair, G_N_ELEMENTS(pair));
        g_assert_cmpuint(fc_stack_depth(f.stack), ==, 3);
    }
    struct FcRecord last = after_inlining(FC_RECORD_EXIT, 1000, 'C', SITE('A', 1), 0x6ff8);
    feed_all(&f, &last, 1);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 1);
    fc_fixture_stop(&f);
}

/* B, of the other kind, was left by a jump that nothing told of, and so was D; E never began. */
static void test_jumps_after_inlining(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    struct FcRecord records[] = {
        after_inlining(FC_RECORD_ENTER, 0, 'A', 0x99, 0x7008),
        fc_fixture_record(FC_RECORD_ENTER, 10, 'B', SITE('A', 0), 0),
        after_inlining(FC_RECORD_ENTER, 20, 'D', SITE('B', 0), 0x6fc8),
        after_inlining(FC_RECORD_EXIT, 30, 'A', 0x99, 0x7008),
        after_inlining(FC_RECORD_EXIT, 31, 'E', SITE('A', 0), 0x7108),
    };
    records[1].where = FC_RECORD_ENTER | 0x6fd0;
    feed_all(&f, records, G_N_ELEMENTS(records));
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 0);
    g_assert_cmpuint(f.counts->repairs.missed_exits, ==, 2);
    g_assert_cmpuint(f.counts->repairs.unmatched_exits, ==, 1);
    check_function(&f, 'A', 1, 30, 10);
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stack/after-inlining/calls", test_after_inlining);
    g_test_add_func("/stack/after-inlining/tail-calls", test_tail_calls_after_inlining);
    g_test_add_func("/stack/after-inlining/jumps", test_jumps_after_inlining);
    return g_test_run();
}
