/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stacks and sums of one thread, against figures worked out by hand.
 */
#include "fcmanager/stack/frames.h"
#include "tests/unit/manager_fixture.h"

#include <string.h>

#define SITE(letter, number) fc_fixture_site((letter), (number))
#define FUNCTION(letter) fc_fixture_function(f.counts, (letter))

static void check_function(FcFixture *f, char letter, guint64 calls, guint64 total, guint64 local)
{
    const FcCountsFunction *function = fc_fixture_function(f->counts, letter);
    g_assert_nonnull(function);
    g_assert_cmpuint(function->calls, ==, calls);
    g_assert_cmpuint(function->total, ==, total);
    g_assert_cmpuint(function->local, ==, local);
}

static void check_arc(FcFixture *f, char caller, guint64 site, char callee, guint64 calls,
                      guint64 total)
{
    const FcCountsArc *arc = fc_fixture_arc(f->counts, caller, site, callee);
    g_assert_nonnull(arc);
    g_assert_cmpuint(arc->calls, ==, calls);
    g_assert_cmpuint(arc->total, ==, total);
}

static void check_context(FcFixture *f, const char *path, guint64 calls, guint64 total,
                          guint64 local)
{
    const FcCountsNode *node = fc_fixture_context(f->counts, path);
    g_assert_nonnull(node);
    g_assert_cmpuint(node->calls, ==, calls);
    g_assert_cmpuint(node->total, ==, total);
    g_assert_cmpuint(node->local, ==, local);
}

/* A calls B twice from two sites, the second B calls C. */
static void test_nesting(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 100, 'A', 0x99, 0);
    fc_fixture_enter(&f, 110, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 113, 'B', SITE('A', 0), 1);
    fc_fixture_enter(&f, 120, 'B', SITE('A', 1), 1);
    fc_fixture_enter(&f, 121, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 129, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 140, 'B', SITE('A', 1), 1);
    fc_fixture_leave(&f, 150, 'A', 0x99, 0);
    check_function(&f, 'A', 1, 50, 50 - 3 - 20);
    check_function(&f, 'B', 2, 23, 3 + 12);
    check_function(&f, 'C', 1, 8, 8);
    check_arc(&f, 0, 0x99, 'A', 1, 50);
    check_arc(&f, 'A', SITE('A', 0), 'B', 1, 3);
    check_arc(&f, 'A', SITE('A', 1), 'B', 1, 20);
    check_arc(&f, 'B', SITE('B', 0), 'C', 1, 8);
    check_context(&f, "A", 1, 50, 27);
    check_context(&f, "ABC", 1, 8, 8);
    g_assert_cmpuint(fc_fixture_context_count(f.counts), ==, 4); /* B once for each site */
    g_assert_cmpuint(FUNCTION('B')->bounds.total_min, ==, 3);
    g_assert_cmpuint(FUNCTION('B')->bounds.total_max, ==, 20);
    g_assert_cmpuint(FUNCTION('B')->bounds.local_min, ==, 3);
    g_assert_cmpuint(FUNCTION('B')->bounds.local_max, ==, 12);
    g_assert_cmpuint(fc_histogram_get(&FUNCTION('B')->histogram, 2), ==, 1); /* 3 ns: [2, 4) */
    g_assert_cmpuint(fc_histogram_get(&FUNCTION('B')->histogram, 5), ==, 1); /* 20 ns: [16, 32) */
    /* 100,000 functions are not much memory: of the buckets those between the two */
    g_assert_cmpuint(FUNCTION('B')->histogram.first, ==, 2);
    g_assert_cmpuint(FUNCTION('B')->histogram.count, ==, 4);
    g_assert_cmpuint(sizeof(FcCountsFunction), <=, 256);
    g_assert_cmpuint(sizeof(FcProfileFunction), <=, 256);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 0);
    fc_fixture_stop(&f);
}

/* F calls itself: total counts once, minimum and maximum are of each activation. */
static void test_recursion(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'F', 0x99, 0);
    fc_fixture_enter(&f, 10, 'F', SITE('F', 0), 1);
    fc_fixture_enter(&f, 15, 'F', SITE('F', 0), 2);
    fc_fixture_leave(&f, 18, 'F', SITE('F', 0), 2);
    fc_fixture_leave(&f, 30, 'F', SITE('F', 0), 1);
    fc_fixture_leave(&f, 100, 'F', 0x99, 0);
    check_function(&f, 'F', 3, 100, 100);
    check_arc(&f, 0, 0x99, 'F', 1, 100);
    check_arc(&f, 'F', SITE('F', 0), 'F', 2, 20); /* the inner one is within the outer */
    check_context(&f, "F", 3, 100, 100);
    g_assert_cmpuint(fc_fixture_context_count(f.counts), ==, 1);
    g_assert_cmpuint(FUNCTION('F')->bounds.total_min, ==, 3);
    g_assert_cmpuint(FUNCTION('F')->bounds.total_max, ==, 100);
    g_assert_cmpuint(FUNCTION('F')->bounds.local_min, ==, 3);
    g_assert_cmpuint(FUNCTION('F')->bounds.local_max, ==, 80);
    fc_fixture_stop(&f);
}

/* E -> O -> E -> O: folded onto two contexts; what O calls hangs below that. */
static void test_mutual_recursion(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'E', 0x99, 0);
    fc_fixture_enter(&f, 1, 'O', SITE('E', 0), 1);
    fc_fixture_enter(&f, 3, 'E', SITE('O', 0), 2);
    fc_fixture_enter(&f, 6, 'O', SITE('E', 0), 3);
    fc_fixture_enter(&f, 7, 'X', SITE('O', 1), 4);
    fc_fixture_leave(&f, 9, 'X', SITE('O', 1), 4);
    fc_fixture_leave(&f, 10, 'O', SITE('E', 0), 3);
    fc_fixture_leave(&f, 15, 'E', SITE('O', 0), 2);
    fc_fixture_leave(&f, 21, 'O', SITE('E', 0), 1);
    fc_fixture_leave(&f, 28, 'E', 0x99, 0);
    check_function(&f, 'E', 2, 28, (28 - 20) + (12 - 4));
    check_function(&f, 'O', 2, 20, (20 - 12) + (4 - 2));
    check_arc(&f, 'E', SITE('E', 0), 'O', 2, 20);
    check_arc(&f, 'O', SITE('O', 0), 'E', 1, 12);
    check_context(&f, "E", 2, 28, 16);
    check_context(&f, "EO", 2, 20, 10);
    check_context(&f, "EOX", 1, 2, 2);
    g_assert_cmpuint(fc_fixture_context_count(f.counts), ==, 3);
    fc_fixture_stop(&f);
}

/* Hooks of inlined functions report the frame they were inlined into. */
static void test_inlined(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 1, 'I', 0x99, 0);
    fc_fixture_enter(&f, 2, 'J', 0x99, 0);
    fc_fixture_leave(&f, 4, 'J', 0x99, 0);
    fc_fixture_enter(&f, 5, 'J', 0x99, 0); /* the same call in a loop */
    fc_fixture_leave(&f, 7, 'J', 0x99, 0);
    fc_fixture_leave(&f, 8, 'I', 0x99, 0);
    fc_fixture_leave(&f, 10, 'A', 0x99, 0);
    check_function(&f, 'A', 1, 10, 3);
    check_function(&f, 'I', 1, 7, 3);
    check_function(&f, 'J', 2, 4, 4);
    g_assert_cmpuint(f.counts->repairs.jumps, ==, 0);
    g_assert_cmpuint(f.counts->repairs.missed_exits, ==, 0);
    fc_fixture_stop(&f);
}

/* C jumps out to A, which calls D at B's depth. */
static void test_jump(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', SITE('A', 0), 2);
    fc_fixture_enter(&f, 20, 'C', SITE('B', 0), 4);
    fc_fixture_enter(&f, 50, 'D', SITE('A', 1), 1);
    fc_fixture_leave(&f, 60, 'D', SITE('A', 1), 1);
    fc_fixture_leave(&f, 70, 'A', 0x99, 0);
    check_function(&f, 'B', 1, 40, 10);
    check_function(&f, 'C', 1, 30, 30);
    check_function(&f, 'A', 1, 70, 20);
    check_arc(&f, 'A', SITE('A', 1), 'D', 1, 10);
    g_assert_cmpuint(f.counts->repairs.jumps, ==, 2);
    fc_fixture_stop(&f);
}

/* The same hook call can't run again before the activation returned: B was left by a jump and
 * called again from the same place at the same depth. */
static void test_equal_frame(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', SITE('A', 0), 2);
    fc_fixture_enter(&f, 12, 'I', SITE('A', 0), 2); /* inlined into B */
    fc_fixture_enter(&f, 20, 'B', SITE('A', 0), 2);
    fc_fixture_leave(&f, 25, 'B', SITE('A', 0), 2);
    fc_fixture_leave(&f, 30, 'A', 0x99, 0);
    check_function(&f, 'B', 2, 15, 7);
    check_function(&f, 'I', 1, 8, 8);
    check_function(&f, 'A', 1, 30, 15);
    g_assert_cmpuint(f.counts->repairs.jumps, ==, 2);
    fc_fixture_stop(&f);
}

/* B's exit never comes, A's does. */
static void test_missed_exit(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 30, 'A', 0x99, 0);
    fc_fixture_leave(&f, 31, 'B', SITE('A', 0), 1); /* nothing is open any more */
    check_function(&f, 'A', 1, 30, 10);
    check_function(&f, 'B', 1, 20, 20);
    g_assert_cmpuint(f.counts->repairs.missed_exits, ==, 1);
    g_assert_cmpuint(f.counts->repairs.unmatched_exits, ==, 1);
    fc_fixture_stop(&f);
}

/* The two inner of three activations are jumped over, and the outermost returns. */
static void test_exit_of_outer_activation(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'R', 0x99, 0);
    fc_fixture_enter(&f, 10, 'R', SITE('R', 0), 1);
    fc_fixture_enter(&f, 20, 'R', SITE('R', 0), 2);
    fc_fixture_leave(&f, 50, 'R', 0x99, 0);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 0);
    check_function(&f, 'R', 3, 50, 50);
    g_assert_cmpuint(f.counts->repairs.missed_exits, ==, 2);
    fc_fixture_stop(&f);
}

/* A tail-called exit hook returns to the call site and runs on the caller's frame. */
static void test_tail_called_exit(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'R', 0x99, 0);
    fc_fixture_enter(&f, 10, 'R', SITE('R', 0), 1);
    struct FcRecord exit_record = fc_fixture_record(FC_RECORD_EXIT, 20, 'R', SITE('R', 0), 0);
    exit_record.where &= ~(UINT64_C(0xffff) << FC_WHERE_RETURN_SHIFT);
    exit_record.where |= SITE('R', 0) << FC_WHERE_RETURN_SHIFT;
    fc_fixture_feed(f.stack, &exit_record, 0, 1, FIXTURE_GENERATION);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 1);
    fc_fixture_leave(&f, 50, 'R', 0x99, 0);
    g_assert_cmpuint(FUNCTION('R')->bounds.total_min, ==, 10);
    g_assert_cmpuint(f.counts->repairs.missed_exits, ==, 0);
    fc_fixture_stop(&f);
}

/* Times that run backwards are clamped. */
static void test_clamp(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 100, 'A', 0x99, 0);
    fc_fixture_enter(&f, 90, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 80, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 110, 'A', 0x99, 0);
    check_function(&f, 'A', 1, 10, 10);
    check_function(&f, 'B', 1, 0, 0);
    fc_fixture_stop(&f);
}

/* Open frames are closed at the end; the last ones are remembered. */
static void test_open_at_the_end(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 10, 'A', 0x99, 0);
    fc_fixture_enter(&f, 20, 'B', SITE('A', 0), 1);
    g_autoptr(GArray) final = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    fc_stack_final_frames(f.stack, 10, final);
    g_assert_cmpuint(final->len, ==, 2);
    guint32 last = g_array_index(final, FcProfileFrame, 1).function;
    g_assert_cmpuint(f.counts->functions[last].address, ==, fc_fixture_address('B'));
    fc_stack_close(f.stack, 60);
    check_function(&f, 'A', 1, 50, 10);
    check_function(&f, 'B', 1, 40, 40);
    fc_fixture_stop(&f);
}

/* Frames inherited at a fork: time from then on, but no calls and no activation. */
static void test_inherited(void)
{
    FcFixture parent;
    FcFixture f;
    fc_fixture_start(&parent);
    fc_fixture_start(&f);
    fc_fixture_enter(&parent, 10, 'A', 0x99, 0);
    fc_fixture_enter(&parent, 20, 'B', SITE('A', 0), 1);
    g_autoptr(GArray) frames = fc_stack_open_frames(parent.stack);
    fc_stack_inherit(f.stack, (const FcOpenFrame *)(gconstpointer)frames->data, frames->len, 100);
    fc_fixture_enter(&f, 105, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 115, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 120, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 150, 'A', 0x99, 0);
    check_function(&f, 'A', 0, 50, 30);
    check_function(&f, 'B', 0, 20, 10);
    check_function(&f, 'C', 1, 10, 10);
    check_arc(&f, 'A', SITE('A', 0), 'B', 0, 20);
    check_arc(&f, 'B', SITE('B', 0), 'C', 1, 10);
    check_context(&f, "ABC", 1, 10, 10);
    g_assert_cmpuint(FUNCTION('B')->bounds.total_min, ==, G_MAXUINT64);
    g_assert_cmpuint(FUNCTION('B')->bounds.total_max, ==, 0);
    fc_fixture_stop(&f);
    fc_fixture_stop(&parent);
}

/* Past the limit calls are still counted, by function and arc, on one context each. */
static void test_overflow(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    f.counts->node_limit = 3; /* the root, A and A-B */
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    for (guint i = 0; i < 10; i++)
    {
        fc_fixture_enter(&f, 10 * i + 1, 'B', SITE('A', i), 1);
        fc_fixture_enter(&f, 10 * i + 2, 'C', SITE('B', 0), 2);
        fc_fixture_leave(&f, 10 * i + 3, 'C', SITE('B', 0), 2);
        fc_fixture_leave(&f, 10 * i + 5, 'B', SITE('A', i), 1);
    }
    fc_fixture_leave(&f, 100, 'A', 0x99, 0);
    check_function(&f, 'B', 10, 40, 30);
    check_function(&f, 'C', 10, 10, 10);
    check_arc(&f, 'A', SITE('A', 9), 'B', 1, 4);
    check_arc(&f, 'B', SITE('B', 0), 'C', 10, 10);
    check_context(&f, "AB", 1, 4, 3);
    check_context(&f, "B", 9, 36, 27);
    check_context(&f, "C", 10, 10, 10);
    g_assert_cmpuint(fc_fixture_context_count(f.counts), ==, 4);
    /* nine sites of B, and C below each of the two contexts of B */
    g_assert_cmpuint(f.counts->contexts_folded, ==, 9 + 2);
    fc_fixture_stop(&f);
}

/* What one thread has of a session's contexts another can't have, until the first is gone. */
static void test_shared_limit(void)
{
    guint32 in_use = FC_CONTEXTS_DEFAULT - 2;
    FcFixture one;
    FcFixture other;
    fc_fixture_start(&one);
    fc_fixture_start(&other);
    one.counts->contexts_in_use = &in_use;
    other.counts->contexts_in_use = &in_use;
    fc_fixture_enter(&one, 0, 'A', 0x99, 0);
    fc_fixture_enter(&one, 1, 'B', SITE('A', 0), 1);
    g_assert_cmpuint(one.counts->contexts_folded, ==, 0);
    g_assert_cmpuint(in_use, ==, FC_CONTEXTS_DEFAULT);

    fc_fixture_enter(&other, 0, 'A', 0x99, 0);
    g_assert_cmpuint(other.counts->contexts_folded, ==, 1);
    fc_fixture_stop(&one);
    g_assert_cmpuint(in_use, ==, FC_CONTEXTS_DEFAULT - 1); /* the one that A is folded on */
    fc_fixture_enter(&other, 1, 'B', SITE('A', 0), 1);
    g_assert_cmpuint(other.counts->contexts_folded, ==, 1);
    fc_fixture_stop(&other);
    g_assert_cmpuint(in_use, ==, FC_CONTEXTS_DEFAULT - 2);
}

/* A record of neither kind, and one of an earlier use of the slot. */
static void test_bad_records(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    struct FcRecord records[3] = {
        fc_fixture_record(FC_RECORD_ENTER, 1, 'A', 0x99, 0),
        fc_fixture_record((enum FcRecordKind)15, 2, 'A', 0x99, 0),
        fc_fixture_record(FC_RECORD_EXIT, 3, 'A', 0x99, 0),
    };
    records[2].site ^= UINT64_C(1) << FC_SITE_GENERATION_SHIFT;
    g_assert_cmpuint(fc_fixture_feed(f.stack, records, 0, 3, FIXTURE_GENERATION), ==, 2);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 1);
    g_assert_cmpuint(f.counts->repairs.bad_records, ==, 1);
    fc_fixture_stop(&f);
}

static void load(FcModules *modules, guint64 start, guint64 end, guint64 time, const char *path)
{
    struct FcModuleInfo info = {.base = start, .start = start, .end = end};
    g_assert_true(fc_modules_load(modules, &info, path, strlen(path), time));
}

/* P is at the same place in two libraries, one loaded after the other is gone. */
static void test_reused_address(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    guint64 start = fc_fixture_address('P') & ~UINT64_C(0xfff);
    struct FcModuleInfo range = {.base = start, .start = start, .end = start + 0x1000};
    load(f.modules, start, start + 0x1000, 5, "one.so");
    fc_stack_modules_changed(f.stack);
    fc_fixture_enter(&f, 10, 'A', 0x99, 0);
    fc_fixture_enter(&f, 20, 'P', SITE('A', 0), 1);
    fc_fixture_leave(&f, 23, 'P', SITE('A', 0), 1);
    /* Announced before the records of times before it have been read. */
    fc_modules_unload(f.modules, &range, 40);
    load(f.modules, start, start + 0x1000, 45, "two.so");
    fc_stack_modules_changed(f.stack);
    fc_fixture_enter(&f, 30, 'P', SITE('A', 0), 1);
    fc_fixture_leave(&f, 34, 'P', SITE('A', 0), 1);
    fc_fixture_enter(&f, 50, 'P', SITE('A', 0), 1);
    fc_fixture_leave(&f, 59, 'P', SITE('A', 0), 1);
    fc_fixture_leave(&f, 60, 'A', 0x99, 0);
    fc_counts_sum_functions(f.counts);
    g_assert_cmpuint(f.counts->function_count, ==, 3);
    g_assert_cmpint(f.counts->functions[1].module, ==, 0);
    g_assert_cmpuint(f.counts->functions[1].calls, ==, 2);
    g_assert_cmpuint(f.counts->functions[1].total, ==, 7);
    g_assert_cmpint(f.counts->functions[2].module, ==, 1);
    g_assert_cmpuint(f.counts->functions[2].calls, ==, 1);
    g_assert_cmpuint(f.counts->functions[2].total, ==, 9);
    fc_fixture_stop(&f);
}

/* Sums of two threads: matched by function, call site and path. */
static void test_merge(void)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    FcFixture f[2];
    FcModules *modules = fc_modules_new();
    FcCounts *sum = fc_counts_new(modules, &sizes);
    for (guint i = 0; i < 2; i++)
    {
        fc_fixture_start(&f[i]);
        if (i == 1) /* another order of first meetings */
        {
            fc_fixture_enter(&f[i], 1, 'Z', 0x77, 0);
            fc_fixture_leave(&f[i], 2, 'Z', 0x77, 0);
        }
        fc_fixture_enter(&f[i], 10, 'A', 0x99, 0);
        fc_fixture_enter(&f[i], 20, 'B', SITE('A', 0), 1);
        fc_fixture_leave(&f[i], 25 + i, 'B', SITE('A', 0), 1);
        fc_fixture_leave(&f[i], 30 + i, 'A', 0x99, 0);
        fc_counts_sum_functions(f[i].counts);
        g_autofree guint32 *map = fc_counts_merge(sum, f[i].counts);
        g_assert_cmpuint(sum->functions[map[i]].address, ==, fc_fixture_address('A'));
        fc_fixture_stop(&f[i]);
    }
    FcFixture whole = {modules, sum, NULL};
    check_function(&whole, 'A', 2, 41, 30);
    check_function(&whole, 'B', 2, 11, 11);
    check_function(&whole, 'Z', 1, 1, 1);
    check_arc(&whole, 'A', SITE('A', 0), 'B', 2, 11);
    check_context(&whole, "AB", 2, 11, 11);
    g_assert_cmpuint(fc_fixture_context_count(sum), ==, 3);
    g_assert_cmpuint(fc_fixture_function(sum, 'B')->bounds.total_min, ==, 5);
    g_assert_cmpuint(fc_fixture_function(sum, 'B')->bounds.total_max, ==, 6);
    fc_counts_free(sum);
    fc_modules_free(modules);
}

/* A root that was called from nowhere, as at the bottom of a coroutine's stack, stays one; calls
 * that found no room for a context stay on one for each function. */
static void test_merge_folded(void)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    FcModules *modules = fc_modules_new();
    FcCounts *sum = fc_counts_new(modules, &sizes);
    for (guint i = 0; i < 2; i++)
    {
        FcFixture f;
        fc_fixture_start(&f);
        f.counts->node_limit = 2; /* the root and A */
        fc_fixture_enter(&f, 10, 'A', 0, 0);
        fc_fixture_enter(&f, 20, 'B', SITE('A', 0), 1);
        fc_fixture_leave(&f, 25, 'B', SITE('A', 0), 1);
        fc_fixture_leave(&f, 30, 'A', 0, 0);
        fc_counts_sum_functions(f.counts);
        g_free(fc_counts_merge(sum, f.counts));
        fc_fixture_stop(&f);
    }
    g_assert_cmpuint(fc_fixture_context_count(sum), ==, 2);
    g_assert_cmpuint(fc_fixture_context(sum, "A")->site, ==, 0);
    g_assert_cmpuint(fc_fixture_context(sum, "A")->calls, ==, 2);
    g_assert_cmpuint(fc_fixture_context(sum, "B")->site, ==, FC_FOLDED_SITE);
    g_assert_cmpuint(fc_fixture_context(sum, "B")->calls, ==, 2);
    fc_counts_free(sum);
    fc_modules_free(modules);
}

static void feed_at(FcFixture *f, enum FcRecordKind kind, guint64 time, guint64 address)
{
    struct FcRecord record = fc_fixture_record(kind, time, 'C', SITE('A', 0), 0);
    record.where = (record.where & ~FC_WHERE_ADDRESS_MASK) | address;
    g_assert_cmpuint(fc_fixture_feed(f->stack, &record, 0, 1, FIXTURE_GENERATION), ==, 1);
}

/* A thousand coroutines that end, each on a stack of its own, and two that live on: what is kept
 * is for those that live. */
static void test_ended_coroutines(void)
{
    const guint64 stacks = UINT64_C(0x600000000000);
    FcFixture f;
    fc_fixture_start(&f);
    fc_stack_set_bounds(f.stack, UINT64_C(0x7f0000000000), UINT64_C(0x800000000000));
    FcRegions *regions = fc_regions_new();
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    guint64 time = 10;
    for (guint i = 0; i < 1000; i++)
    {
        const guint64 start = stacks + i * UINT64_C(0x10000);
        fc_regions_add(regions, start, start + 0x8000);
        fc_stack_set_regions(f.stack, regions);
        feed_at(&f, FC_RECORD_ENTER, time, start + 0x7f00);
        if (i != 3 && i != 500)
            feed_at(&f, FC_RECORD_EXIT, time + 7, start + 0x7f00);
        fc_fixture_enter(&f, time + 8, 'B', SITE('A', 1), 1);
        fc_fixture_leave(&f, time + 9, 'B', SITE('A', 1), 1);
        time += 10;
    }
    g_assert_cmpint(f.stack->segment_count, <=, 4);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 3);
    feed_at(&f, FC_RECORD_EXIT, time, stacks + 3 * UINT64_C(0x10000) + 0x7f00);
    fc_fixture_enter(&f, time, 'B', SITE('A', 1), 1);
    fc_fixture_leave(&f, time, 'B', SITE('A', 1), 1);
    g_assert_cmpuint(fc_stack_depth(f.stack), ==, 2);
    fc_stack_close(f.stack, time);
    fc_fixture_stop(&f);
    fc_regions_free(regions);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stack/nesting", test_nesting);
    g_test_add_func("/stack/recursion", test_recursion);
    g_test_add_func("/stack/mutual-recursion", test_mutual_recursion);
    g_test_add_func("/stack/inlined", test_inlined);
    g_test_add_func("/stack/jump", test_jump);
    g_test_add_func("/stack/equal-frame", test_equal_frame);
    g_test_add_func("/stack/missed-exit", test_missed_exit);
    g_test_add_func("/stack/exit-of-outer-activation", test_exit_of_outer_activation);
    g_test_add_func("/stack/tail-called-exit", test_tail_called_exit);
    g_test_add_func("/stack/clamp", test_clamp);
    g_test_add_func("/stack/open-at-the-end", test_open_at_the_end);
    g_test_add_func("/stack/inherited", test_inherited);
    g_test_add_func("/stack/overflow", test_overflow);
    g_test_add_func("/stack/shared-limit", test_shared_limit);
    g_test_add_func("/stack/merge-folded", test_merge_folded);
    g_test_add_func("/stack/bad-records", test_bad_records);
    g_test_add_func("/stack/reused-address", test_reused_address);
    g_test_add_func("/stack/merge", test_merge);
    g_test_add_func("/stack/ended-coroutines", test_ended_coroutines);
    return g_test_run();
}
