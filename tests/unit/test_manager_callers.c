/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who made the calls that were counted, where the caller is counted as well and has no frame, or
 * only looks as if it had made them.
 */
#include "fcmanager/estimate/counted-attribute.h"
#include "tests/unit/manager_fixture.h"

#define SITE(letter, number) fc_fixture_site((letter), (number))
#define FUNCTION(letter) fc_fixture_function(f.counts, (letter))

/* A calls G, which calls B; both are counted, and K, which is not. */
static void test_hidden_caller(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'G', SITE('A', 0), 1);
    fc_fixture_enter(&f, 11, 'K', SITE('G', 1), 2);
    fc_fixture_leave(&f, 12, 'K', SITE('G', 1), 2);
    fc_fixture_leave(&f, 20, 'G', SITE('A', 0), 1);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'G', SITE('A', 0), 1);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'B', SITE('G', 0), 2);
    /* a burst: that G calls B is learnt here */
    fc_fixture_count(&f, 100, FC_COUNT_SAMPLE, 'G', SITE('A', 0), 1);
    fc_fixture_enter(&f, 101, 'B', SITE('G', 0), 2);
    fc_fixture_leave(&f, 103, 'B', SITE('G', 0), 2);
    fc_fixture_leave(&f, 105, 'G', SITE('A', 0), 1);
    /* in a call of G that was not recorded */
    fc_fixture_sample(&f, 200, 2, 'B', SITE('G', 0), 2);
    fc_fixture_enter(&f, 300, 'K', SITE('G', 1), 2);
    fc_fixture_leave(&f, 320, 'K', SITE('G', 1), 2);
    fc_fixture_leave(&f, 1000, 'A', 0x99, 0);
    fc_fixture_add(&f, 'G', SITE('A', 0), 51);
    fc_fixture_add(&f, 'B', SITE('G', 0), 101);
    fc_fixture_finalize(&f, 0);
    /* local of G: 3 ticks in the sample; of B: 2 */
    const guint64 b = 2 + 2 + 100 * 2;
    const guint64 g = 9 + 3 + 50 * 3;
    const guint64 k = 1 + 20;
    fc_fixture_check_context(&f, "A", 1, 1000, 1000 - b - g - k);
    fc_fixture_check_context(&f, "AG", 52, b + g + k, g);
    fc_fixture_check_context(&f, "AGB", 102, b, b);
    fc_fixture_check_context(&f, "AGK", 2, k, k);
    g_assert_cmpuint(fc_fixture_context_count(f.counts), ==, 4);
    g_assert_false(fc_fixture_is_apportioned(&f, "AGB"));
    fc_fixture_check_arc(&f, 'G', SITE('G', 0), 'B', 102);
    fc_fixture_check_arc(&f, 'G', SITE('G', 1), 'K', 2);
    g_assert_null(fc_fixture_arc(f.counts, 'A', SITE('G', 0), 'B'));
    g_assert_null(fc_fixture_arc(f.counts, 'A', SITE('G', 1), 'K'));
    g_assert_cmpuint(FUNCTION('G')->total, ==, b + g + k);
    g_assert_cmpuint(FUNCTION('K')->total, ==, k);
    fc_fixture_stop(&f);
}

/* B is inlined into U, so that its call site is that of U, in A: U calls it, also where U is not
 * recorded, and nobody calls it without a call. */
static void test_inlined_callee(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_count(&f, 5, FC_COUNT_BEGINS, 'B', SITE('A', 0), 1);
    fc_fixture_enter(&f, 10, 'U', SITE('A', 0), 1);
    fc_fixture_sample(&f, 11, 2, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 210, 'U', SITE('A', 0), 1);
    fc_fixture_count(&f, 220, FC_COUNT_BEGINS, 'U', SITE('A', 0), 1);
    fc_fixture_sample(&f, 300, 2, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 1000, 'A', 0x99, 0);
    fc_fixture_add(&f, 'U', SITE('A', 0), 1);
    fc_fixture_add(&f, 'B', SITE('A', 0), 100);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_arc(&f, 'A', SITE('A', 0), 'U', 2);
    fc_fixture_check_arc(&f, 'U', SITE('A', 0), 'B', 100);
    for (guint32 i = 0; i < f.counts->arc_count; i++)
        g_assert_cmpuint(f.counts->arcs[i].calls, >, 0);
    fc_fixture_check_context(&f, "AUB", 100, 2 * 100, 2 * 100);
    g_assert_cmpuint(fc_fixture_context_count(f.counts), ==, 3);
    fc_fixture_stop(&f);
}

/* Code that is not profiled lies behind G's, or behind B's own, and calls B: A calls that. */
static void start_behind(FcFixture *f)
{
    const struct FcModuleInfo info = {.start = fc_fixture_address('A'),
                                      .end = fc_fixture_address('z')};
    fc_fixture_start(f);
    fc_modules_load(f->modules, &info, "/bin/it", 7, 0);
    fc_fixture_enter(f, 0, 'A', 0x99, 0);
}

/* That G had timed calls, and B was in none of them, tells that G does not call it; before so many
 * were timed it looks as if it did. */
static void test_never_seen_to_call(void)
{
    for (guint samples = 2; samples <= 16; samples += 14)
    {
        FcFixture f;
        guint64 now = 100;
        start_behind(&f);
        fc_fixture_count(&f, 10, FC_COUNT_BEGINS, 'G', SITE('A', 0), 1);
        for (guint i = 0; i < samples; i++, now += 10)
            fc_fixture_sample(&f, now, 2, 'G', SITE('A', 0), 1);
        fc_fixture_count(&f, now, FC_COUNT_BEGINS, 'B', SITE('G', 5), 2);
        for (guint i = 0; i < 4; i++, now += 10)
            fc_fixture_sample(&f, now, 2, 'B', SITE('G', 5), 2);
        fc_fixture_leave(&f, now, 'A', 0x99, 0);
        fc_fixture_add(&f, 'G', SITE('A', 0), 1000);
        fc_fixture_add(&f, 'B', SITE('G', 5), 1000);
        fc_fixture_finalize(&f, 0);
        fc_fixture_check_arc(&f, samples < 4 ? 'G' : 'A', SITE('G', 5), 'B', 1000);
        fc_fixture_stop(&f);
    }
}

/* B was called from there before it was counted, when it would have had a frame around its own
 * calls. */
static void test_no_recursion(void)
{
    FcFixture f;
    start_behind(&f);
    /* the thread counts, so nothing else is certain of the next call */
    fc_fixture_count(&f, 10, FC_COUNT_BEGINS, 'G', SITE('A', 0), 1);
    fc_fixture_enter(&f, 20, 'B', SITE('B', 5), 2);
    fc_fixture_leave(&f, 22, 'B', SITE('B', 5), 2);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'B', SITE('B', 5), 2);
    fc_fixture_sample(&f, 100, 2, 'B', SITE('B', 5), 2);
    fc_fixture_leave(&f, 1000, 'A', 0x99, 0);
    fc_fixture_add(&f, 'B', SITE('B', 5), 100);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_arc(&f, 'A', SITE('B', 5), 'B', 101);
    fc_fixture_stop(&f);
}

/* B was met in a call of T that H made, in which nothing tells of G, which calls B. */
static void test_made_caller(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    const struct FcModuleInfo program = {.base = fc_fixture_address('A'),
                                         .start = fc_fixture_address('A'),
                                         .end = fc_fixture_address('Z')};
    g_assert_true(fc_modules_load(f.modules, &program, "/bin/it", 7, 0));
    fc_stack_modules_changed(f.stack);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'T', SITE('A', 0), 1);
    fc_fixture_enter(&f, 11, 'G', SITE('T', 0), 2);
    fc_fixture_enter(&f, 12, 'B', SITE('G', 0), 3);
    fc_fixture_leave(&f, 14, 'B', SITE('G', 0), 3);
    fc_fixture_leave(&f, 16, 'G', SITE('T', 0), 2);
    fc_fixture_leave(&f, 20, 'T', SITE('A', 0), 1);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'T', SITE('A', 0), 1);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'G', SITE('T', 0), 2);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'B', SITE('G', 0), 3);
    fc_fixture_enter(&f, 100, 'H', SITE('A', 1), 1);
    fc_fixture_count(&f, 110, FC_COUNT_SAMPLE, 'T', SITE('H', 0), 2);
    fc_fixture_count(&f, 120, FC_COUNT_BURST_ENDS, 'T', SITE('H', 0), 2);
    fc_fixture_count(&f, 130, FC_COUNT_SEEN, 'B', SITE('G', 0), 4);
    fc_fixture_leave(&f, 200, 'T', SITE('H', 0), 2);
    fc_fixture_leave(&f, 300, 'H', SITE('A', 1), 1);
    fc_fixture_leave(&f, 400, 'A', 0x99, 0);
    fc_fixture_add(&f, 'T', SITE('H', 0), 1);
    fc_fixture_add(&f, 'G', SITE('T', 0), 10);
    fc_fixture_add(&f, 'B', SITE('G', 0), 20);
    fc_fixture_finalize(&f, 0);
    const FcCountsNode *b = fc_fixture_context(f.counts, "AHTGB");
    const FcCountsNode *g = fc_fixture_context(f.counts, "AHTG");
    g_assert_nonnull(b);
    g_assert_cmpuint(b->calls, ==, 20);
    g_assert_cmpuint(g->calls, ==, 0);
    g_assert_true(fc_fixture_is_apportioned(&f, "AHTG"));
    g_assert_cmpuint(g->total, ==, g->local + b->total);
    fc_fixture_check_arc(&f, 'G', SITE('G', 0), 'B', 21);
    fc_fixture_check_arc(&f, 'T', SITE('T', 0), 'G', 11);
    g_assert_null(fc_fixture_arc(f.counts, 'T', SITE('G', 0), 'B'));
    g_assert_cmpuint(FUNCTION('G')->calls, ==, 11);
    fc_fixture_stop(&f);
}

/* A calls B from code that was made at run time, which is in no module, a few times from each
 * place: no call from there was met, but A is known to call B. */
static void test_made_code(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', 0x1000, 1);
    fc_fixture_leave(&f, 12, 'B', 0x1000, 1);
    fc_fixture_count(&f, 30, FC_COUNT_BEGINS, 'B', 0x1000, 1);
    fc_fixture_leave(&f, 100, 'A', 0x99, 0);
    fc_fixture_add(&f, 'B', 0x2000, 5);
    fc_fixture_add(&f, 'B', 0x2020, 5);
    fc_fixture_finalize(&f, 0);
    fc_fixture_check_arc(&f, 'A', 0x2000, 'B', 5);
    fc_fixture_check_arc(&f, 'A', 0x2020, 'B', 5);
    g_assert_cmpuint(FUNCTION('B')->calls, ==, 11);
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/callers/hidden", test_hidden_caller);
    g_test_add_func("/callers/never-seen-to-call", test_never_seen_to_call);
    g_test_add_func("/callers/no-recursion", test_no_recursion);
    g_test_add_func("/callers/inlined-callee", test_inlined_callee);
    g_test_add_func("/callers/made", test_made_caller);
    g_test_add_func("/callers/made-code", test_made_code);
    return g_test_run();
}
