/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An entry and its exit that are taken in one step must count as the two do one by one: made-up
 * records, of jumps, wrong exits, tail calls, several stacks and clocks that jump back too, are fed
 * both ways, and all that was counted is compared.
 */
#include "fcmanager/stack.h"
#include "tests/unit/manager_fixture.h"

#include <string.h>

#define RECORDS 20000u
#define RUNS 40u
#define LIBRARY UINT64_C(0x7f0000000000)
#define COROUTINES UINT64_C(0x10000000)
#define COROUTINE_BYTES UINT64_C(0x10000)
#define OWN_STACK UINT64_C(0x7ffff0000000)

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
                           ((record.where & FC_WHERE_ADDRESS_MASK) + 64) | record.site << 48;
        g_array_set_size(open, open->len - 1);
        return record;
    }
    guint64 base = chance < 500 ? COROUTINES + COROUTINE_BYTES * (guint64)(chance % 3) : OWN_STACK;
    guint64 kind = chance < 960 ? FC_RECORD_ENTER : (guint64)g_rand_int_range(random, 0, 16);
    guint64 depth = chance < 940 ? open->len : (guint64)g_rand_int_range(random, 0, 40);
    guint letter = (guint)g_rand_int_range(random, 0, 5);
    record.function =
        letter < 4 ? fc_fixture_address((char)('A' + letter)) : library_function(random);
    record.site = fc_fixture_site('A', (guint)g_rand_int_range(random, 0, 3)) |
                  (guint64)FIXTURE_GENERATION << FC_SITE_GENERATION_SHIFT;
    record.where = kind | (base - 64 * (depth + 1)) |
                   (guint64)g_rand_int_range(random, 0, 2) << FC_WHERE_RETURN_SHIFT;
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

static void feed_all(FcFixture *f, const struct FcRecord *records, guint32 step)
{
    FcRegions *regions = fc_regions_new();
    for (guint64 i = 0; i < 2; i++) /* the third stack was never announced */
        fc_regions_add(regions, COROUTINES + COROUTINE_BYTES * (i - 1),
                       COROUTINES + COROUTINE_BYTES * i);
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
            g_assert_cmpuint(
                fc_stack_feed(f->stack, records, at, MIN(at + step, end), FIXTURE_GENERATION), ==,
                MIN(at + step, end));
    }
    fc_stack_close(f->stack, 0);
    fc_counts_sum_functions(f->counts);
    fc_regions_free(regions);
}

#define SAME(a, b, count) g_assert_cmpmem(a, (count) * sizeof *(a), b, (count) * sizeof *(b))

static void test_pairs(void)
{
    for (guint32 run = 0; run < RUNS; run++)
    {
        g_autofree struct FcRecord *records = make_records(run);
        FcFixture whole;
        FcFixture single;
        fc_fixture_start(&whole);
        fc_fixture_start(&single);
        feed_all(&whole, records, RECORDS);
        feed_all(&single, records, 1); /* no record stands behind the one that is fed */
        g_assert_cmpuint(whole.counts->function_count, ==, single.counts->function_count);
        g_assert_cmpuint(whole.counts->arc_count, ==, single.counts->arc_count);
        g_assert_cmpuint(whole.counts->node_count, ==, single.counts->node_count);
        g_assert_cmpuint(whole.counts->node_count, >, 100);
        SAME(whole.counts->functions, single.counts->functions, whole.counts->function_count);
        SAME(whole.counts->arcs, single.counts->arcs, whole.counts->arc_count);
        SAME(whole.counts->nodes, single.counts->nodes, whole.counts->node_count);
        SAME(&whole.counts->repairs, &single.counts->repairs, 1);
        g_assert_cmpuint(whole.counts->repairs.jumps, >, 0);
        g_assert_cmpuint(whole.counts->repairs.missed_exits, >, 0);
        g_assert_cmpuint(fc_stack_first_time(whole.stack), ==, fc_stack_first_time(single.stack));
        g_assert_cmpuint(fc_stack_last_time(whole.stack), ==, fc_stack_last_time(single.stack));
        fc_fixture_stop(&whole);
        fc_fixture_stop(&single);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/leaf/pairs", test_pairs);
    return g_test_run();
}
