/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See manager_fixture.h.
 */
#include "tests/unit/manager_fixture.h"

#include <string.h>

#include "fcmanager/estimate/counted-attribute.h"

#include <string.h>

#define STACK_TOP UINT64_C(0x7fff00000000)
#define CODE UINT64_C(0x555500000000)

const FcCallOverhead fc_fixture_overhead = {
    .recorded = 20, .inside = 10, .counted = 8, .after_inlining = 8};

void fc_fixture_start(FcFixture *fixture)
{
    static const FcCountsSizes sizes = {0, 0, 0};
    fixture->modules = fc_modules_new();
    fixture->counts = fc_counts_new(fixture->modules, &sizes);
    fixture->stack = fc_stack_new(fixture->counts, UINT64_C(1) << 32, 0);
}

void fc_fixture_stop(FcFixture *fixture)
{
    fc_stack_free(fixture->stack);
    fc_counts_free(fixture->counts);
    fc_modules_free(fixture->modules);
}

guint64 fc_fixture_address(char letter)
{
    return CODE + 0x1000u * (guint64)letter;
}

guint64 fc_fixture_site(char letter, guint number)
{
    return fc_fixture_address(letter) + 0x10u * (number + 1u);
}

struct FcRecord fc_fixture_record(enum FcRecordKind kind, guint64 time, char letter, guint64 site,
                                  guint depth)
{
    /* the hook returns into the function itself: at its head, or before its end */
    guint64 returns = fc_fixture_address(letter) + (kind == FC_RECORD_ENTER ? 5u : 0xf00u);
    struct FcRecord record = {
        .time = time,
        .function = fc_fixture_address(letter),
        .where = (STACK_TOP - 64u * (guint64)depth) | kind | returns << FC_WHERE_RETURN_SHIFT,
        .site = site | (guint64)FIXTURE_GENERATION << FC_SITE_GENERATION_SHIFT};
    return record;
}

guint32 fc_fixture_feed(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                        guint32 generation)
{
    return fc_stack_feed(stack, (const struct FcUnit *)records, from * FC_RECORD_UNITS,
                         to * FC_RECORD_UNITS, generation) /
           FC_RECORD_UNITS;
}

guint32 fc_fixture_feed_units(FcFixture *fixture, const struct FcUnit *units, guint32 from,
                              guint32 to)
{
    const guint32 end = fc_stack_feed(fixture->stack, units, from, to, FIXTURE_GENERATION);
    fc_counts_flush_sums(fixture->counts);
    return end;
}

struct FcUnit fc_fixture_short(const struct FcRecord *record, guint64 name)
{
    const gboolean is_exit = (record->where & FC_WHERE_KIND_MASK) == FC_RECORD_EXIT;
    const guint64 generation = FC_GENERATION_OF_SHORT(FIXTURE_GENERATION);
    return (struct FcUnit){
        ((record->where - FIXTURE_LOW) & FC_SHORT_ADDRESS_MASK) << FC_SHORT_ADDRESS_SHIFT |
            name << FC_SHORT_SITE_SHIFT | (is_exit ? FC_SHORT_EXIT : 0) |
            record->where >> FC_WHERE_RETURN_SHIFT << FC_WHERE_RETURN_SHIFT,
        (record->time & FC_SHORT_TIME_MASK) | generation << FC_SITE_GENERATION_SHIFT};
}

static guint hash_of_pair(gconstpointer pair)
{
    const guint64 *words = pair;
    return (guint)(words[0] * 31 + words[1]);
}

static gboolean are_same_pairs(gconstpointer one, gconstpointer other)
{
    return memcmp(one, other, 2 * sizeof(guint64)) == 0;
}

GHashTable *fc_fixture_new_pairs(void)
{
    return g_hash_table_new_full(hash_of_pair, are_same_pairs, g_free, NULL);
}

static gboolean can_be_named(const struct FcRecord *record)
{
    const guint64 kind = record->where & FC_WHERE_KIND_MASK;
    return (kind == FC_RECORD_ENTER || kind == FC_RECORD_EXIT) &&
           record->function <= FC_POINTER_MASK && record->function != 0 &&
           ((record->where & FC_WHERE_ADDRESS_MASK) - FIXTURE_LOW) >> 32 == 0;
}

guint32 fc_fixture_shorten(const struct FcRecord *records, guint32 count, GHashTable *pairs,
                           struct FcUnit *units)
{
    guint32 taken = 0;
    for (guint32 i = 0; i < count; i++)
    {
        struct FcRecord record = records[i];
        const guint64 pair[2] = {record.function, record.site};
        const guint64 known = pairs ? GPOINTER_TO_UINT(g_hash_table_lookup(pairs, pair)) : 0;
        if (known != 0 && can_be_named(&record))
        {
            units[taken++] = fc_fixture_short(&record, known);
            continue;
        }
        if (pairs && can_be_named(&record))
        {
            const guint name = g_hash_table_size(pairs) + 1;
            g_hash_table_insert(pairs, g_memdup2(pair, sizeof pair), GUINT_TO_POINTER(name));
            record.function |= (guint64)name << FC_SITE_NUMBER_SHIFT;
        }
        memcpy(&units[taken], &record, sizeof record);
        taken += FC_RECORD_UNITS;
    }
    return taken;
}

static void feed(FcFixture *fixture, struct FcRecord record)
{
    g_assert_cmpuint(fc_fixture_feed(fixture->stack, &record, 0, 1, FIXTURE_GENERATION), ==, 1);
}

void fc_fixture_enter(FcFixture *fixture, guint64 time, char letter, guint64 site, guint depth)
{
    feed(fixture, fc_fixture_record(FC_RECORD_ENTER, time, letter, site, depth));
}

void fc_fixture_leave(FcFixture *fixture, guint64 time, char letter, guint64 site, guint depth)
{
    feed(fixture, fc_fixture_record(FC_RECORD_EXIT, time, letter, site, depth));
}

void fc_fixture_count(FcFixture *fixture, guint64 time, enum FcCountRecord kind, char letter,
                      guint64 site, guint depth)
{
    struct FcRecord record = fc_fixture_record(FC_RECORD_ENTER, time, letter, site, depth);
    record.where = (record.where & ~FC_WHERE_KIND_MASK) | FC_RECORD_COUNT;
    record.function |= (guint64)kind << FC_COUNT_RECORD_SHIFT;
    feed(fixture, record);
}

void fc_fixture_sample(FcFixture *fixture, guint64 time, guint64 ticks, char letter, guint64 site,
                       guint depth)
{
    fc_fixture_count(fixture, time, FC_COUNT_SAMPLE, letter, site, depth);
    fc_fixture_leave(fixture, time + ticks, letter, site, depth);
}

const FcCountsFunction *fc_fixture_function(FcCounts *counts, char letter)
{
    fc_counts_sum_functions(counts);
    for (guint32 i = 0; i < counts->function_count; i++)
        if (counts->functions[i].address == fc_fixture_address(letter))
            return &counts->functions[i];
    return NULL;
}

const FcCountsArc *fc_fixture_arc(FcCounts *counts, char caller, guint64 site, char callee)
{
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        guint64 from = arc->caller != 0 ? counts->functions[arc->caller - 1].address : 0;
        guint64 wanted = caller != 0 ? fc_fixture_address(caller) : 0;
        if (from == wanted && arc->site == site &&
            counts->functions[arc->callee].address == fc_fixture_address(callee))
            return arc;
    }
    return NULL;
}

static const FcCountsNode *find_below(FcCounts *counts, guint32 parent, const char *path)
{
    if (*path == '\0')
        return &counts->nodes[parent];
    const FcCountsNode *found = NULL;
    for (guint32 i = 1; i < counts->node_count && found == NULL; i++)
        if (counts->nodes[i].parent == parent &&
            counts->functions[counts->nodes[i].function].address == fc_fixture_address(*path))
            found = find_below(counts, i, path + 1);
    return found;
}

const FcCountsNode *fc_fixture_context(FcCounts *counts, const char *path)
{
    return find_below(counts, 0, path);
}

guint fc_fixture_context_count(const FcCounts *counts)
{
    return counts->node_count - 1;
}

void fc_fixture_off(FcFixture *fixture, guint64 time, enum FcOffRecord which, guint64 value,
                    guint64 site)
{
    struct FcRecord record = {
        .time = time,
        .function = value & FC_OFF_VALUE_MASK,
        .where = FC_RECORD_OFF | (guint64)which << FC_OFF_RECORD_SHIFT,
        .site = site | (guint64)FIXTURE_GENERATION << FC_SITE_GENERATION_SHIFT,
    };
    g_assert_cmpuint(fc_fixture_feed(fixture->stack, &record, 0, 1, FIXTURE_GENERATION), ==, 1);
}

void fc_fixture_seen(FcFixture *fixture, guint64 time, guint64 off_ns, guint waits)
{
    fc_fixture_off(fixture, time, FC_OFF_SEEN, FIXTURE_CLOCKS + off_ns, waits);
}

void fc_fixture_check(FcFixture *fixture, char letter, guint64 total, guint64 local, guint64 wait,
                      guint64 own_wait)
{
    fc_counts_sum_functions(fixture->counts);
    const FcCountsFunction *function = fc_fixture_function(fixture->counts, letter);
    g_assert_nonnull(function);
    g_assert_cmpuint(function->total, ==, total);
    g_assert_cmpuint(function->local, ==, local);
    g_assert_cmpuint(function->wait_total, ==, wait);
    g_assert_cmpuint(function->wait_local, ==, own_wait);
}

void fc_fixture_check_range(FcFixture *fixture, char letter, guint64 total_min, guint64 total_max,
                            guint64 local_min, guint64 local_max)
{
    const FcCountsFunction *function = fc_fixture_function(fixture->counts, letter);
    const FcCountsBounds all = fc_counts_bounds(function, &function->elapsed);
    g_assert_cmpuint(all.total_min, ==, total_min);
    g_assert_cmpuint(all.total_max, ==, total_max);
    g_assert_cmpuint(all.local_min, ==, local_min);
    g_assert_cmpuint(all.local_max, ==, local_max);
}

void fc_fixture_add(FcFixture *fixture, char letter, guint64 site, guint64 calls)
{
    fc_counted_add(
        fc_stack_counted(fixture->stack),
        fc_counted_find(fc_stack_counted(fixture->stack), site, fc_fixture_address(letter), 0),
        calls, FALSE);
}

void fc_fixture_finalize(FcFixture *fixture, guint64 outside)
{
    static const FcCallOverhead no_costs;
    g_assert_cmpuint(fc_stack_depth(fixture->stack), ==, 0);
    fc_counted_attribute(fc_stack_counted(fixture->stack), outside, &no_costs);
}

void fc_fixture_check_context(FcFixture *fixture, const char *path, guint64 calls, guint64 total,
                              guint64 local)
{
    const FcCountsNode *node = fc_fixture_context(fixture->counts, path);
    g_assert_nonnull(node);
    g_assert_cmpuint(node->calls, ==, calls);
    g_assert_cmpuint(node->total, ==, total);
    g_assert_cmpuint(node->local, ==, local);
}

gboolean fc_fixture_is_apportioned(FcFixture *fixture, const char *path)
{
    const FcCountsNode *node = fc_fixture_context(fixture->counts, path);
    g_assert_nonnull(node);
    return fc_counts_is_marked(fixture->counts->apportioned_nodes,
                               (guint32)(node - fixture->counts->nodes));
}

void fc_fixture_check_arc(FcFixture *fixture, char caller, guint64 site, char callee, guint64 calls)
{
    const FcCountsArc *arc = fc_fixture_arc(fixture->counts, caller, site, callee);
    g_assert_nonnull(arc);
    g_assert_cmpuint(arc->calls, ==, calls);
}

void fc_fixture_check_waits(FcFixture *fixture, const char *path, guint64 wait, guint64 own_wait)
{
    const FcCountsNode *node = fc_fixture_context(fixture->counts, path);
    g_assert_nonnull(node);
    const FcCountsCost cost =
        fc_counts_wait(fixture->counts->node_waits, (guint32)(node - fixture->counts->nodes));
    g_assert_cmpuint(cost.total, ==, wait);
    g_assert_cmpuint(cost.local, ==, own_wait);
}

void fc_fixture_check_arc_wait(FcFixture *fixture, char caller, guint64 site, char callee,
                               guint64 wait)
{
    const FcCountsArc *arc = fc_fixture_arc(fixture->counts, caller, site, callee);
    g_assert_nonnull(arc);
    g_assert_cmpuint(
        fc_counts_wait(fixture->counts->arc_waits, (guint32)(arc - fixture->counts->arcs)).total,
        ==, wait);
}
