/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An entry and its exit that are taken in one step must count as the two do one by one, and short
 * records as long ones: made-up records, of jumps, wrong exits, tail calls, inlined functions,
 * several stacks and clocks that jump back too, are fed in all ways, and all that was counted is
 * compared.
 */
#include "fcmanager/stack/stack.h"
#include "tests/unit/asan.h"
#include "tests/unit/manager_fixture.h"

#include <string.h>

#define RECORDS 20000u
#define RUNS (FIXTURE_ASAN ? 20u : 80u)
#define LIBRARY UINT64_C(0x7f0000000000)
#define COROUTINES UINT64_C(0x10000000)
#define COROUTINE_BYTES UINT64_C(0x10000)
#define OWN_STACK UINT64_C(0x7fff10000000)

static guint64 library_function(GRand *random)
{
    return LIBRARY + 0x40 * (guint64)g_rand_int_range(random, 0, 4);
}

/* Mostly the next one of a program whose open calls are `open`; the rest is chance. */
static struct FcRecord make_record(GRand *random, GArray *open, guint64 time)
{
    struct FcRecord record = {.time = time};
    gint chance = g_rand_int_range(random, 0, 1000);
    if (chance < 480 && open->len > 0)
    {
        guint leave = chance >= 420 ? (guint)chance % MIN(open->len, 4) : 0; /* out of several */
        g_array_set_size(open, open->len - leave);
        record = g_array_index(open, struct FcRecord, open->len - 1);
        record.time = time;
        record.where += FC_RECORD_EXIT - FC_RECORD_ENTER;
        if (chance < 60) /* tail-called: on the frame of the caller, back at the call site */
            record.where = (record.where & ~(FC_WHERE_ADDRESS_MASK | UINT64_C(0xffff) << 48)) |
                           ((record.where & FC_WHERE_ADDRESS_MASK) + (chance < 20 ? 128 : 64)) |
                           record.site << 48;
        g_array_set_size(open, open->len - 1);
        return record;
    }
    guint64 base = chance < 500 ? COROUTINES + COROUTINE_BYTES * (guint64)(chance % 3) : OWN_STACK;
    guint64 kind = chance < 960 ? FC_RECORD_ENTER : (guint64)g_rand_int_range(random, 1, 16);
    guint64 depth = chance < 940 ? open->len : (guint64)g_rand_int_range(random, 0, 40);
    guint letter = (guint)g_rand_int_range(random, 0, 5);
    record.function =
        letter < 4 ? fc_fixture_address((char)('A' + letter)) : library_function(random);
    record.site = fc_fixture_site('A', (guint)g_rand_int_range(random, 0, 3)) |
                  (guint64)FIXTURE_GENERATION << FC_SITE_GENERATION_SHIFT;
    record.where = kind | (base - 64 * (depth + 1)) |
                   (guint64)g_rand_int_range(random, 0, 2) << FC_WHERE_RETURN_SHIFT;
    if (chance >= 900 && chance < 930 && open->len > 0) /* inlined into the innermost one */
    {
        const struct FcRecord *innermost = &g_array_index(open, struct FcRecord, open->len - 1);
        record.where =
            (record.where & ~FC_WHERE_ADDRESS_MASK) | (innermost->where & FC_WHERE_ADDRESS_MASK);
        record.site = innermost->site;
    }
    if (kind == FC_RECORD_ENTER && depth < 60)
        g_array_append_val(open, record);
    return record;
}

static struct FcRecord *make_records(guint32 seed)
{
    GRand *random = g_rand_new_with_seed(seed);
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(struct FcRecord));
    struct FcRecord *records = g_new(struct FcRecord, RECORDS);
    guint64 time = 1000;
    for (guint i = 0; i < RECORDS; i++)
    {
        time += (guint64)g_rand_int_range(random, 0, 50);
        records[i] = make_record(random, open, time);
        if (g_rand_int_range(random, 0, 100) == 0)
            records[i].time -= 40; /* another processor's clock */
    }
    g_rand_free(random);
    return records;
}

/* `units`: where the first `ends`[i] units are the first i + 1 records. */
static guint32 feed_some(FcFixture *f, const struct FcUnit *units, const guint32 *ends,
                         guint32 from, guint32 to)
{
    const guint32 start = from > 0 ? ends[from - 1] : 0;
    const guint32 end = ends[to - 1];
    return fc_stack_feed(f->stack, units, start, end, FIXTURE_GENERATION) == end ? to : from;
}

/* What only tells how the figures came about is not compared: nothing is active any more. */
static void forget_ways(FcCounts *counts)
{
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        g_assert_cmpuint(fc_counts_activations(function), ==, 0);
        function->active = 0;
        function->quick_total = function->quick_local = 0;
    }
}

/* `pairs`: for short records; NULL: all are long. */
static void feed_all(FcFixture *f, const struct FcRecord *records, guint32 step, GHashTable *pairs,
                     gboolean has_bounds)
{
    g_autofree struct FcUnit *units = g_new(struct FcUnit, FC_RECORD_UNITS * RECORDS);
    g_autofree guint32 *ends = g_new(guint32, RECORDS);
    guint32 taken = 0;
    for (guint32 i = 0; i < RECORDS; i++)
    {
        taken += fc_fixture_shorten(&records[i], 1, pairs, &units[taken]);
        ends[i] = taken;
    }
    if (pairs)
        g_assert_cmpuint(taken, <, RECORDS * 3 / 2);
    fc_stack_set_sites(f->stack, FIXTURE_LOW, NULL, 0);
    FcRegions *regions = fc_regions_new();
    for (guint64 i = 0; i < 2; i++) /* the third stack was never announced */
        fc_regions_add(regions, COROUTINES + COROUTINE_BYTES * (i - 1),
                       COROUTINES + COROUTINE_BYTES * i);
    if (has_bounds) /* else all addresses but those may be on the thread's own stack */
        fc_stack_set_bounds(f->stack, OWN_STACK - (1u << 20), OWN_STACK);
    fc_stack_set_regions(f->stack, regions);
    for (guint32 part = 0; part < 4; part++)
    {
        /* a library goes and comes between, while functions of it are on the stack */
        struct FcModuleInfo library = {.base = LIBRARY, .start = LIBRARY, .end = LIBRARY + 0x1000};
        guint32 end = RECORDS / 4 * (part + 1);
        if (part % 2 == 0)
            fc_modules_load(f->modules, &library, "/lib.so", 7, records[end / 2].time);
        else
            fc_modules_unload(f->modules, &library, records[end / 2].time);
        fc_stack_modules_changed(f->stack);
        for (guint32 at = RECORDS / 4 * part; at < end; at += step)
            g_assert_cmpuint(feed_some(f, units, ends, at, MIN(at + step, end)), ==,
                             MIN(at + step, end));
    }
    fc_stack_close(f->stack, 0);
    fc_counts_sum_functions(f->counts);
    forget_ways(f->counts);
    fc_regions_free(regions);
}

#define SAME(a, b, count) g_assert_cmpmem(a, (count) * sizeof *(a), b, (count) * sizeof *(b))

/* Of each of the two, without where its histogram is. */
static void assert_same_function(FcCountsFunction one, FcCountsFunction other)
{
    for (guint i = 0; i < FC_COUNTS_BUCKETS; i++)
        g_assert_cmpuint(fc_histogram_get(&one.histogram, i), ==,
                         fc_histogram_get(&other.histogram, i));
    memset(&one.histogram, 0, sizeof one.histogram);
    memset(&other.histogram, 0, sizeof other.histogram);
    one.buckets = other.buckets = 0;
    SAME(&one, &other, 1);
}

static void assert_same(const FcFixture *one, const FcFixture *other)
{
    g_assert_cmpuint(one->counts->function_count, ==, other->counts->function_count);
    g_assert_cmpuint(one->counts->arc_count, ==, other->counts->arc_count);
    g_assert_cmpuint(one->counts->node_count, ==, other->counts->node_count);
    for (guint32 i = 0; i < one->counts->function_count; i++)
        assert_same_function(one->counts->functions[i], other->counts->functions[i]);
    SAME(one->counts->arcs, other->counts->arcs, one->counts->arc_count);
    SAME(one->counts->nodes, other->counts->nodes, one->counts->node_count);
    SAME(&one->counts->repairs, &other->counts->repairs, 1);
    g_assert_cmpuint(fc_stack_first_time(one->stack), ==, fc_stack_first_time(other->stack));
    g_assert_cmpuint(fc_stack_last_time(one->stack), ==, fc_stack_last_time(other->stack));
}

/* Of long records, and of short ones; all at once, and each so that none stands behind it. */
static void test_pairs(void)
{
    for (guint32 run = 0; run < RUNS; run++)
    {
        g_autofree struct FcRecord *records = make_records(run / 2);
        FcFixture ways[4];
        for (guint way = 0; way < G_N_ELEMENTS(ways); way++)
        {
            g_autoptr(GHashTable) pairs = way >= 2 ? fc_fixture_new_pairs() : NULL;
            fc_fixture_start(&ways[way]);
            feed_all(&ways[way], records, way % 2 == 0 ? RECORDS : 1, pairs, run % 2 != 0);
        }
        g_assert_cmpuint(ways[0].counts->node_count, >, 100);
        g_assert_cmpuint(ways[0].counts->repairs.jumps, >, 0);
        g_assert_cmpuint(ways[0].counts->repairs.missed_exits, >, 0);
        for (guint way = 1; way < G_N_ELEMENTS(ways); way++)
        {
            assert_same(&ways[0], &ways[way]);
            fc_fixture_stop(&ways[way]);
        }
        fc_fixture_stop(&ways[0]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/leaf/pairs", test_pairs);
    return g_test_run();
}
