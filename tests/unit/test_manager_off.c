/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time off the CPU: where it is counted, against figures worked out by hand.
 */
#include "fcmanager/counts/wait-sites.h"
#include "fcmanager/counts/waits.h"
#include "fcmanager/estimate/overhead.h"
#include "fcmanager/stack/frames.h"
#include "tests/unit/manager_fixture.h"

#define SITE(letter, number) fc_fixture_site((letter), (number))

/* Of times on the CPU. */
static void check_cpu_range(FcFixture *f, char letter, guint64 total_min, guint64 total_max,
                            guint64 local_min, guint64 local_max)
{
    const FcCountsFunction *function = fc_fixture_function(f->counts, letter);
    const FcCountsBounds all = fc_counts_bounds(function, &function->on_cpu);
    g_assert_cmpuint(all.total_min, ==, total_min);
    g_assert_cmpuint(all.total_max, ==, total_max);
    g_assert_cmpuint(all.local_min, ==, local_min);
    g_assert_cmpuint(all.local_max, ==, local_max);
}

/* Calls that wait and others: the least elapsed time is of one of these, the most of one of those.
 */
static void test_ranges(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 100000, 0, 3);
    fc_fixture_enter(&f, 100000, 'B', 0x99, 0);
    fc_fixture_leave(&f, 130000, 'B', 0x99, 0);
    fc_fixture_enter(&f, 200000, 'B', 0x99, 0);
    fc_fixture_seen(&f, 260000, 50000, 4);
    fc_fixture_leave(&f, 260000, 'B', 0x99, 0);
    fc_fixture_enter(&f, 300000, 'B', 0x99, 0);
    fc_fixture_leave(&f, 340000, 'B', 0x99, 0);
    fc_fixture_check_range(&f, 'B', 30000, 60000, 30000, 60000);
    check_cpu_range(&f, 'B', 10000, 40000, 10000, 40000);
    fc_fixture_stop(&f);
}

/* Clocks are read one after the other, so what is left of a short call that was preempted may be
 * nothing: it is not shorter than those that were not. */
static void test_short_rest(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 100000, 0, 3);
    fc_fixture_enter(&f, 100000, 'B', 0x99, 0);
    fc_fixture_leave(&f, 103000, 'B', 0x99, 0);
    fc_fixture_enter(&f, 110000, 'B', 0x99, 0);
    fc_fixture_seen(&f, 112000, 5000, 3);
    fc_fixture_leave(&f, 112000, 'B', 0x99, 0);
    fc_fixture_enter(&f, 120000, 'B', 0x99, 0);
    fc_fixture_seen(&f, 220000, 103000, 3);
    fc_fixture_leave(&f, 220000, 'B', 0x99, 0);
    check_cpu_range(&f, 'B', 2000, 3000, 2000, 3000);
    /* one that waited is not like those: but no more is known of it either */
    fc_fixture_enter(&f, 230000, 'B', 0x99, 0);
    fc_fixture_seen(&f, 330000, 202900, 4);
    fc_fixture_leave(&f, 330000, 'B', 0x99, 0);
    check_cpu_range(&f, 'B', 2000, 3000, 2000, 3000);
    /* what is shorter by more than that is */
    fc_fixture_enter(&f, 400000, 'C', 0x99, 0);
    fc_fixture_leave(&f, 450000, 'C', 0x99, 0);
    fc_fixture_enter(&f, 500000, 'C', 0x99, 0);
    fc_fixture_seen(&f, 600000, 292900, 4);
    fc_fixture_leave(&f, 600000, 'C', 0x99, 0);
    check_cpu_range(&f, 'C', 10000, 50000, 10000, 50000);
    fc_fixture_stop(&f);
}

/* A calls B, which waits, then A itself is preempted. */
static void test_nesting(void)
{
    FcFixture f;
    FcStackOff all;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 100000, 0, 3);
    fc_fixture_enter(&f, 100000, 'A', 0x99, 0);
    fc_fixture_enter(&f, 110000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 150000, 30000, 4);
    fc_fixture_leave(&f, 150000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 200000, 70000, 4);
    fc_fixture_leave(&f, 200000, 'A', 0x99, 0);
    fc_fixture_check(&f, 'A', 100000, 60000, 70000, 40000);
    fc_fixture_check(&f, 'B', 40000, 40000, 30000, 30000);
    fc_fixture_check_range(&f, 'A', 60000, 60000, 20000,
                           20000); /* without what was not its own accord */
    fc_fixture_check_range(&f, 'B', 40000, 40000, 40000, 40000); /* it waited: as long as it took */
    check_cpu_range(&f, 'A', 30000, 30000, 20000, 20000);
    check_cpu_range(&f, 'B', 10000, 10000, 10000, 10000);
    fc_fixture_check_arc_wait(&f, 0, 0x99, 'A', 70000);
    fc_fixture_check_arc_wait(&f, 'A', SITE('A', 0), 'B', 30000);
    fc_fixture_check_waits(&f, "A", 70000, 40000);
    fc_fixture_check_waits(&f, "AB", 30000, 30000);
    fc_stack_get_off(f.stack, &all);
    g_assert_cmpuint(all.off, ==, 70000);
    g_assert_cmpuint(all.preempted, ==, 40000);
    g_assert_cmpint(all.seen, ==, FC_WAITS_SEEN);
    fc_fixture_stop(&f);
}

static void note_wait(FcFixture *f, guint64 time, FcWaitKind kind, guint64 turns, guint64 ns)
{
    const FcStackWait wait = {time, turns, ns, kind, NULL, 0};
    fc_stack_note_wait(f->stack, &wait);
}

/* Of function `letter`. */
/* Returns an owned copy. */
static FcProfileOff *off_of(const FcFixture *f, char letter)
{
    const FcCountsFunction *function = fc_fixture_function(f->counts, letter);
    const guint32 index = (guint32)(function - f->counts->functions);
    FcCounts *counts = f->counts;
    counts->functions[index].wait_local = G_MAXUINT64; /* as if it were long enough */
    return fc_counts_get_off(counts, index);
}

/* A calls B.  A sample belongs to what the next record finds open; one that none tells of, or that
 * came before the first, to nothing; those of one wait are together. */
static void test_kinds(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    note_wait(&f, 50000, FC_WAIT_DISK, 1, 1);
    fc_fixture_seen(&f, 100000, 0, 3);
    fc_fixture_enter(&f, 100000, 'A', 0x99, 0);
    fc_fixture_enter(&f, 110000, 'B', SITE('A', 0), 1);
    note_wait(&f, 120000, FC_WAIT_LOCK, 2, 10);
    note_wait(&f, 140000, FC_WAIT_LOCK, 2, 20);
    fc_fixture_seen(&f, 150000, 30000, 4);
    fc_fixture_leave(&f, 150000, 'B', SITE('A', 0), 1);
    note_wait(&f, 160000, FC_WAIT_INPUT, 3, 5);
    fc_fixture_enter(&f, 170000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 180000, 'B', SITE('A', 0), 1);
    note_wait(&f, 190000, FC_WAIT_SLEEP, 4, 7);
    note_wait(&f, 230000, FC_WAIT_SIGN, 5, 100);
    fc_fixture_seen(&f, 200000, 45000, 4);
    fc_fixture_leave(&f, 200000, 'A', 0x99, 0);
    g_autofree FcProfileOff *of_a = off_of(&f, 'A');
    g_autofree FcProfileOff *of_b = off_of(&f, 'B');
    g_assert_cmpuint(of_b->kind_ns[FC_WAIT_LOCK], ==, 30);
    g_assert_cmpuint(of_b->kind_ns[FC_WAIT_DISK], ==, 0);
    g_assert_cmpuint(of_b->preempted_ns, ==, 0);
    g_assert_cmpuint(of_a->kind_ns[FC_WAIT_SLEEP], ==, 7);
    g_assert_cmpuint(of_a->kind_ns[FC_WAIT_INPUT], ==, 0);
    g_assert_cmpuint(of_a->kind_ns[FC_WAIT_SIGN], ==, 0);
    g_assert_cmpuint(of_a->preempted_ns, ==, 15000);
    fc_fixture_stop(&f);
}

static void check_wait_site(const FcFixture *f, guint64 address, guint64 ns)
{
    g_autoptr(GArray) sites = fc_wait_sites_list(f->counts->wait_sites);
    guint64 found = 0;
    for (guint i = 0; i < sites->len; i++)
        if (g_array_index(sites, FcCountsWaitSite, i).address == address)
            found += g_array_index(sites, FcCountsWaitSite, i).kind_ns[FC_WAIT_LOCK];
    g_assert_cmpuint(found, ==, ns);
}

static void note_stack(FcFixture *f, guint64 time, guint64 turns, const FcUnwindFrame *frames,
                       guint depth)
{
    const FcStackWait wait = {time, turns, 1, FC_WAIT_LOCK, frames, depth};
    fc_stack_note_wait(f->stack, &wait);
}

/* The call in the function's own frame; else the innermost one in its module; a further sample of a
 * wait needs no frames. */
static void test_sites(void)
{
    const guint64 begin = fc_fixture_address('A');
    const struct FcModuleInfo program = {.start = begin, .end = begin + 4096};
    FcFixture f;
    fc_fixture_start(&f);
    g_assert_true(fc_modules_load(f.modules, &program, "/a", 2, 0));
    fc_fixture_seen(&f, 100000, 0, 3);
    fc_fixture_enter(&f, 100000, 'A', 0x99, 0);
    const FcUnwindFrame own[] = {{1, 1}, {begin + 50, begin + 40}, {begin + 7, begin}};
    const FcUnwindFrame unknown[] = {{1, 1}, {begin + 60, 0}, {begin + 7, 0}};
    note_stack(&f, 110000, 1, own, G_N_ELEMENTS(own));
    note_stack(&f, 120000, 1, NULL, 0);
    note_stack(&f, 130000, 2, own, G_N_ELEMENTS(own));
    note_stack(&f, 140000, 3, unknown, G_N_ELEMENTS(unknown));
    note_stack(&f, 145000, 4, NULL, 0);
    fc_fixture_seen(&f, 150000, 30000, 4);
    fc_fixture_leave(&f, 200000, 'A', 0x99, 0);
    check_wait_site(&f, begin + 8, 3);
    check_wait_site(&f, begin + 61, 1);
    check_wait_site(&f, begin + 51, 0);
    fc_fixture_stop(&f);
}

/* The same; the hooks took more than there was, but nothing while the thread was off the CPU. */
static void test_costs(void)
{
    const FcCallOverhead costs = {.recorded = 50000, .inside = 30000, .empty = 1};
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 100000, 0, 3);
    fc_fixture_enter(&f, 100000, 'A', 0x99, 0);
    fc_fixture_enter(&f, 110000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 150000, 30000, 4);
    fc_fixture_leave(&f, 150000, 'B', SITE('A', 0), 1);
    fc_fixture_seen(&f, 200000, 70000, 4);
    fc_fixture_leave(&f, 200000, 'A', 0x99, 0);
    fc_overhead_subtract(f.counts, &costs, NULL);
    fc_fixture_check(&f, 'A', 70002, 40001, 70000, 40000);
    fc_fixture_check(&f, 'B', 30001, 30001, 30000, 30000);
    fc_fixture_stop(&f);
}

/* What a thread was off the CPU before its first frame and behind its last is in none. */
static void test_outside(void)
{
    FcFixture f;
    FcStackOff all;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_seen(&f, 50000, 20000, 1);
    fc_fixture_enter(&f, 50000, 'A', 0x99, 0);
    fc_fixture_leave(&f, 60000, 'A', 0x99, 0);
    fc_fixture_off(&f, 90000, FC_OFF_COARSE, FIXTURE_CLOCKS + 45000, 1);
    fc_fixture_enter(&f, 90000, 'A', 0x99, 0);
    fc_fixture_leave(&f, 95000, 'A', 0x99, 0);
    fc_fixture_check(&f, 'A', 15000, 15000, 0, 0);
    fc_stack_get_off(f.stack, &all);
    g_assert_cmpuint(all.off, ==, 45000);
    g_assert_cmpint(all.seen, ==, FC_WAITS_COARSE);
    fc_fixture_stop(&f);
}

/* What comes behind the last function is in nothing, what comes between two is the thread's. */
static void test_behind(void)
{
    FcFixture f;
    FcStackOff found;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 10, 0, 0);
    fc_fixture_enter(&f, 10, 'A', SITE('Y', 0), 1);
    fc_fixture_leave(&f, 100, 'A', SITE('Y', 0), 1);
    fc_fixture_seen(&f, 200, 60, 1);
    fc_fixture_enter(&f, 200, 'B', SITE('Y', 1), 1);
    fc_fixture_leave(&f, 300, 'B', SITE('Y', 1), 1);
    fc_fixture_seen(&f, 400, 160, 2);
    fc_fixture_off(&f, 420, FC_OFF_PAUSED, 20, 0);
    fc_stack_end_outside(f.stack);
    g_assert_cmpuint(fc_stack_last_time(f.stack), ==, 300);
    fc_stack_get_off(f.stack, &found);
    g_assert_cmpuint(found.off, ==, 60);
    g_assert_cmpuint(found.paused, ==, 0);
    fc_fixture_stop(&f);
}

/* A function on the stack twice waits once; its contexts are folded. */
static void test_recursion(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'F', 0x99, 0);
    fc_fixture_enter(&f, 10000, 'G', SITE('F', 0), 1);
    fc_fixture_enter(&f, 20000, 'F', SITE('G', 0), 2);
    fc_fixture_seen(&f, 50000, 25000, 1);
    fc_fixture_leave(&f, 50000, 'F', SITE('G', 0), 2);
    fc_fixture_leave(&f, 60000, 'G', SITE('F', 0), 1);
    fc_fixture_seen(&f, 90000, 45000, 2);
    fc_fixture_leave(&f, 90000, 'F', 0x99, 0);
    fc_fixture_check(&f, 'F', 90000, 70000, 45000, 45000);
    fc_fixture_check(&f, 'G', 50000, 20000, 25000, 0);
    fc_fixture_check_arc_wait(&f, 'G', SITE('G', 0), 'F', 25000);
    fc_fixture_check_waits(&f, "F", 45000, 45000);
    fc_fixture_check_waits(&f, "FG", 25000, 0);
    fc_fixture_stop(&f);
}

/* The clocks are read one after the other: what is less than before is nothing. */
static void test_backwards(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_off(&f, 0, FC_OFF_SEEN, FC_OFF_VALUE_MASK - 10, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_off(&f, 50000, FC_OFF_SEEN, FC_OFF_VALUE_MASK - 60, 1);
    fc_fixture_off(&f, 60000, FC_OFF_SEEN, 20000 - 11, 2); /* modulo 2^63 */
    fc_fixture_leave(&f, 60000, 'A', 0x99, 0);
    fc_fixture_check(&f, 'A', 60000, 60000, 20000, 20000);
    fc_fixture_stop(&f);
}

/* Frames that are still open, and one of a coroutine that does not go on. */
static void test_switches(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    FcRegions *regions = fc_regions_new();
    fc_regions_add(regions, 0x10000, 0x20000);
    fc_stack_set_regions(f.stack, regions);
    fc_fixture_seen(&f, 0, 0, 0);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    struct FcRecord inner = fc_fixture_record(FC_RECORD_ENTER, 10000, 'B', SITE('A', 0), 0);
    inner.where = (inner.where & ~FC_WHERE_ADDRESS_MASK) | 0x18000;
    fc_fixture_feed(f.stack, &inner, 0, 1, FIXTURE_GENERATION);
    fc_fixture_seen(&f, 40000, 20000, 1); /* B waits, and switches back */
    struct FcRecord back = fc_fixture_record(FC_RECORD_SWITCH, 40000, 'A', 0, 0);
    fc_fixture_feed(f.stack, &back, 0, 1, FIXTURE_GENERATION);
    fc_fixture_seen(&f, 90000, 60000, 1);
    fc_stack_close(f.stack, 100000);
    fc_fixture_check(&f, 'A', 100000, 70000, 60000, 40000);
    fc_fixture_check(&f, 'B', 30000, 30000, 20000, 20000);
    fc_fixture_check_range(&f, 'A', 60000, 60000, 30000, 30000);
    fc_fixture_stop(&f);
    fc_regions_free(regions);
}

/* Of each context: its time on the CPU is not less than its own and what it called had.  A context
 * that a recursion was folded on has less than the sum of elapsed times, and is left out. */
static void check_on_cpu(const FcCounts *counts)
{
    g_autofree guint64 *elapsed = g_new0(guint64, counts->node_count);
    g_autofree guint64 *on_cpu = g_new0(guint64, counts->node_count);
    for (guint32 i = counts->node_count; i-- > 1;)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const FcCountsCost wait = fc_counts_wait(counts->node_waits, i);
        g_assert_cmpuint(wait.local, <=, wait.total);
        g_assert_cmpuint(wait.local, <=, node->local);
        g_assert_cmpuint(wait.total, <=, node->total);
        elapsed[i] += node->local;
        on_cpu[i] += node->local - wait.local;
        if (node->total >= elapsed[i])
            g_assert_cmpuint(node->total - wait.total, >=, on_cpu[i]);
        elapsed[node->parent] += node->total;
        on_cpu[node->parent] += node->total - wait.total;
    }
}

/* A calls B, which calls C: C waits for 30000 of its 40000 ticks, B for 5000 of its own. */
static void start_nested(FcFixture *f)
{
    fc_fixture_start(f);
    fc_fixture_seen(f, 0, 0, 0);
    fc_fixture_enter(f, 0, 'A', 0x99, 0);
    fc_fixture_enter(f, 10000, 'B', SITE('A', 0), 1);
    fc_fixture_enter(f, 20000, 'C', SITE('B', 0), 2);
    fc_fixture_seen(f, 60000, 30000, 1);
    fc_fixture_leave(f, 60000, 'C', SITE('B', 0), 2);
    fc_fixture_seen(f, 80000, 35000, 1);
    fc_fixture_leave(f, 80000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(f, 100000, 'A', 0x99, 0);
}

/* Most of what C waited is not in its time any more, when its untimed calls were estimated: it is
 * not in that of its callers either. */
static void test_bounds(void)
{
    FcFixture f;
    start_nested(&f);
    fc_fixture_check_waits(&f, "ABC", 30000, 30000);
    FcCountsNode *inner = &f.counts->nodes[fc_fixture_context(f.counts, "ABC") - f.counts->nodes];
    FcCountsNode *outer = &f.counts->nodes[fc_fixture_context(f.counts, "AB") - f.counts->nodes];
    inner->local = inner->total = 12000;
    outer->local += 28000;
    f.counts->functions[inner->function].total = 12000;
    fc_waits_bound(f.counts);
    check_on_cpu(f.counts);
    fc_fixture_check_waits(&f, "ABC", 12000, 12000);
    fc_fixture_check_waits(&f, "AB", 17000, 5000);
    fc_fixture_check_waits(&f, "A", 17000, 0);
    fc_fixture_check(&f, 'A', 100000, 30000, 17000, 0);
    fc_fixture_check(&f, 'B', 70000, 58000, 17000, 5000);
    fc_fixture_check_arc_wait(&f, 'A', SITE('A', 0), 'B', 17000);
    fc_fixture_check_arc_wait(&f, 'B', SITE('B', 0), 'C', 12000);
    fc_fixture_stop(&f);
}

/* More was seen in C than it took, but not in its callers, whose part was bounded as it was seen:
 * they have all that C has. */
static void test_too_much(void)
{
    FcFixture f;
    start_nested(&f);
    const gssize inner = fc_fixture_context(f.counts, "ABC") - f.counts->nodes;
    fc_counts_add_wait(&f.counts->node_waits, (guint32)inner, (FcCountsCost){200000, 200000});
    fc_waits_bound(f.counts);
    check_on_cpu(f.counts);
    fc_fixture_check_waits(&f, "ABC", 40000, 40000);
    fc_fixture_check_waits(&f, "AB", 45000, 5000);
    fc_fixture_check_waits(&f, "A", 45000, 0);
    fc_fixture_check(&f, 'A', 100000, 30000, 45000, 0);
    fc_fixture_check_arc_wait(&f, 'A', SITE('A', 0), 'B', 45000);
    fc_fixture_stop(&f);
}

/* Of a recursive function more was measured than its contexts have, and no wait: on the CPU it was
 * no longer than the thread. */
static void test_recursion_without_wait(void)
{
    FcFixture f;
    start_nested(&f);
    const FcCountsNode *root = fc_fixture_context(f.counts, "A");
    const FcCountsNode *inner = fc_fixture_context(f.counts, "AB");
    FcCountsFunction *function = &f.counts->functions[inner->function];
    function->total = root->total;
    function->wait_total = 0;
    fc_waits_bound(f.counts);
    const guint64 waited =
        fc_counts_wait(f.counts->node_waits, (guint32)(root - f.counts->nodes)).total;
    g_assert_cmpuint(waited, >, 0);
    g_assert_cmpuint(function->wait_total, ==, waited);
    fc_fixture_stop(&f);
}

/* B is within itself, by C.  Of what was off the CPU somewhere, a tenth of all, the outer B has
 * what it and C have; and C a tenth of what it took, of which half is B's own. */
static void test_unplaced_in_recursion(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    fc_fixture_enter(&f, 0, 'A', 0x99, 0);
    fc_fixture_enter(&f, 10000, 'B', SITE('A', 0), 1);
    fc_fixture_enter(&f, 20000, 'C', SITE('B', 0), 2);
    fc_fixture_enter(&f, 30000, 'B', SITE('C', 0), 3);
    fc_fixture_leave(&f, 50000, 'B', SITE('C', 0), 3);
    fc_fixture_leave(&f, 60000, 'C', SITE('B', 0), 2);
    fc_fixture_leave(&f, 80000, 'B', SITE('A', 0), 1);
    fc_fixture_leave(&f, 100000, 'A', 0x99, 0);
    fc_waits_spread(f.counts, 10000);
    fc_waits_bound(f.counts);
    fc_fixture_check_waits(&f, "A", 10000, 3000);
    fc_fixture_check_waits(&f, "AB", 7000, 5000);
    fc_fixture_check_waits(&f, "ABC", 4000, 2000);
    fc_fixture_check(&f, 'A', 100000, 30000, 10000, 3000);
    fc_fixture_check(&f, 'B', 70000, 50000, 7000, 5000);
    fc_fixture_check(&f, 'C', 40000, 20000, 4000, 2000);
    fc_fixture_check_arc_wait(&f, 'A', SITE('A', 0), 'B', 7000);
    fc_fixture_check_arc_wait(&f, 'B', SITE('B', 0), 'C', 4000);
    fc_fixture_check_arc_wait(&f, 'C', SITE('C', 0), 'B', 2000);
    fc_fixture_stop(&f);
}

/* What a program writes over its records does no harm. */
static void test_absurd(void)
{
    FcFixture f;
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    fc_fixture_start(&f);
    for (guint i = 0; i < 200000; i++)
    {
        guint64 time = i * 10u;
        guint depth = (guint)g_rand_int_range(random, 0, 6);
        guint64 value = ((guint64)g_rand_int(random) << 32 | g_rand_int(random)) >>
                        g_rand_int_range(random, 0, 64);
        if (g_rand_boolean(random))
            fc_fixture_off(&f, time, (enum FcOffRecord)g_rand_int_range(random, 0, 5), value,
                           g_rand_int(random));
        else if (g_rand_boolean(random))
            fc_fixture_enter(&f, time, (char)('A' + g_rand_int_range(random, 0, 5)), SITE('A', 0),
                             depth);
        else
            fc_fixture_leave(&f, time, (char)('A' + g_rand_int_range(random, 0, 5)), SITE('A', 0),
                             depth);
    }
    fc_stack_close(f.stack, 0);
    fc_waits_bound(f.counts);
    check_on_cpu(f.counts);
    fc_counts_sum_functions(f.counts);
    g_assert_cmpuint(f.counts->repairs.bad_records, >, 0);
    for (guint32 i = 0; i < f.counts->function_count; i++)
    {
        const FcCountsFunction *function = &f.counts->functions[i];
        g_assert_cmpuint(function->wait_local, <=, function->local);
        g_assert_cmpuint(function->wait_total, <=, function->total);
        g_assert_cmpuint(function->total, <=, 200000u * 10u);
        g_assert_cmpuint(function->elapsed.total_max, <=, 200000u * 10u);
        g_assert_cmpuint(function->on_cpu.total_max, <=, function->elapsed.total_max);
    }
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/manager/off/short-rest", test_short_rest);
    g_test_add_func("/manager/off/sites", test_sites);
    g_test_add_func("/manager/off/kinds", test_kinds);
    g_test_add_func("/off/ranges", test_ranges);
    g_test_add_func("/off/nesting", test_nesting);
    g_test_add_func("/off/costs", test_costs);
    g_test_add_func("/off/outside", test_outside);
    g_test_add_func("/off/behind", test_behind);
    g_test_add_func("/off/recursion", test_recursion);
    g_test_add_func("/off/backwards", test_backwards);
    g_test_add_func("/off/switches", test_switches);
    g_test_add_func("/off/bounds", test_bounds);
    g_test_add_func("/off/too-much", test_too_much);
    g_test_add_func("/off/recursion-without-wait", test_recursion_without_wait);
    g_test_add_func("/off/unplaced-in-recursion", test_unplaced_in_recursion);
    g_test_add_func("/off/absurd", test_absurd);
    return g_test_run();
}
