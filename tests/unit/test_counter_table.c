/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table by which libfc's hooks find a counted call: of hundreds of pairs nearly all have a
 * place in it.
 */
#include "libfc/count/counter-table.h"

#include "tests/unit/aligned.h"

#include <glib.h>

#define FUNCTIONS 200u
#define SITES_EACH 4u
#define PAIRS (FUNCTIONS * SITES_EACH)
#define LINE_BYTES 64u

static guint64 random_state = 7;
static guint64 random_below(guint64 limit)
{
    random_state = random_state * G_GUINT64_CONSTANT(6364136223846793005) + 1442695040888963407;
    return (random_state >> 33) % limit;
}

static gsize line_of(const struct FcPair *pair)
{
    return GPOINTER_TO_SIZE(pair) / LINE_BYTES;
}

static void assert_ways_are_apart(const struct FcCounterTable *table, struct FcPair *const *ways)
{
    for (guint way = 0; way < FC_COUNTER_WAYS; way++)
    {
        g_assert_true(ways[way] >= table->pairs && ways[way] < table->pairs + FC_COUNTER_PAIRS);
        for (guint other = 0; other < way; other++)
            g_assert_true(ways[way] != ways[other]);
    }
    g_assert_cmpuint(line_of(ways[0]), ==, line_of(ways[1]));
    g_assert_cmpuint(line_of(ways[2]), ==, line_of(ways[3]));
    g_assert_cmpuint(line_of(ways[0]), !=, line_of(ways[2]));
}

/* As counters.c takes them.  Which one; FC_COUNTER_WAYS: all are taken. */
static guint place(struct FcCounterTable *table, guint64 key, guint64 site, struct FcCount *count)
{
    struct FcPair *ways[FC_COUNTER_WAYS];
    fc_counter_table_ways(table, key, site, ways);
    assert_ways_are_apart(table, ways);
    guint way = 0;
    while (way < FC_COUNTER_WAYS && ways[way]->key != 0)
        way++;
    if (way < FC_COUNTER_WAYS)
        *ways[way] = (struct FcPair){
            .key = key, .site = site, .counter = (uintptr_t)count - (uintptr_t)ways[way]};
    return way;
}

/* A program of 256 KB, functions and call sites anywhere in it: dozens have a far place, next to
 * none has none, and the hooks find each. */
static void test_places(void)
{
    struct FcCounterTable *table = aligned_new0(sizeof *table, LINE_BYTES);
    struct FcCount *counts = g_new0(struct FcCount, PAIRS);
    guint64 keys[PAIRS];
    guint64 sites[PAIRS];
    guint ways[PAIRS];
    guint placed[FC_COUNTER_WAYS + 1] = {0};
    for (guint i = 0; i < PAIRS; i++)
    {
        keys[i] = i % SITES_EACH != 0 ? keys[i - 1] : 0x400000 + 16 * random_below(0x4000);
        sites[i] = 0x400000 + random_below(0x40000);
        ways[i] = place(table, keys[i], sites[i], &counts[i]);
        placed[ways[i]]++;
    }
    g_assert_cmpuint(placed[2] + placed[3], >=, 12);
    g_assert_cmpuint(placed[FC_COUNTER_WAYS], <=, 2);
    for (guint i = 0; i < PAIRS; i++)
    {
        const struct FcPair *pair = fc_counter_table_find(table, keys[i], sites[i]);
        if (ways[i] < FC_COUNTER_WAYS)
            g_assert_true(pair && fc_counter_table_counter(pair) == &counts[i]);
        else
            g_assert_null(pair);
        g_assert_null(fc_counter_table_find(table, keys[i], sites[i] + 0x40000));
    }
    g_free(counts);
    free(table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/table/places", test_places);
    return g_test_run();
}
