/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which contexts are below others with none but counted functions between them, as contexts are
 * made, and which is the best when they begin to move: against what a walk through all of them
 * finds.
 */
#include "fcmanager/estimate/counted-attribute.h"
#include "fcmanager/estimate/counted-work.h"
#include "tests/unit/asan.h"

#include <string.h>

#define FUNCTIONS 12u
#define CONTEXTS 300u
#define ROUNDS (FIXTURE_ASAN ? 12u : 60u)

typedef struct
{
    FcAttribution settle;
    FcCounts counts;
    FcCountsNode nodes[CONTEXTS + 1];
    guint8 is_counted[FUNCTIONS];
} Fixture;

static void start(Fixture *f, GRand *rand)
{
    memset(f, 0, sizeof *f);
    f->counts.nodes = f->nodes;
    f->counts.node_count = 1;
    f->settle.counts = &f->counts;
    f->settle.is_counted = f->is_counted;
    for (guint i = 0; i < FUNCTIONS; i++)
        f->is_counted[i] = g_rand_int_range(rand, 0, 3) != 0 ? FC_ATTRIBUTION_COUNTED : 0;
}

static guint32 make(Fixture *f, GRand *rand)
{
    const guint32 node = f->counts.node_count;
    const guint32 oldest = node > 40 && g_rand_boolean(rand) ? node - 40 : 0;
    f->nodes[node] =
        (FcCountsNode){.parent = (guint32)g_rand_int_range(rand, (gint)oldest, (gint)node),
                       .function = (guint32)g_rand_int_range(rand, 0, FUNCTIONS),
                       .calls = (guint64)g_rand_int_range(rand, 0, 9)};
    f->counts.node_count++;
    return node;
}

static void add(Fixture *f, GRand *rand)
{
    fc_attribution_add_below(&f->settle, make(f, rand));
}

/* So many contexts are there before. */
static void begin(Fixture *f, GRand *rand, guint32 count)
{
    while (f->counts.node_count < count)
        make(f, rand);
    fc_attribution_begin_below(&f->settle);
    for (guint32 i = 1; i < count; i++)
        fc_attribution_add_below(&f->settle, i);
}

/* Whether it is so: none between the two is recorded. */
static gboolean is_below(const Fixture *f, guint32 node, guint32 above)
{
    guint32 at = node != 0 ? f->nodes[node].parent : 0;
    if (node == 0)
        return FALSE;
    while (at != above && at != 0 && f->is_counted[f->nodes[at].function])
        at = f->nodes[at].parent;
    return at == above;
}

/* A context moves below one of a counted function that is below its parent, but not below itself.
 */
static gboolean move(Fixture *f, GRand *rand)
{
    const guint32 node = (guint32)g_rand_int_range(rand, 1, (gint)f->counts.node_count);
    const guint32 caller = (guint32)g_rand_int_range(rand, 1, (gint)f->counts.node_count);
    if (!f->is_counted[f->nodes[caller].function] || !is_below(f, caller, f->nodes[node].parent) ||
        fc_attribution_is_on_path(&f->counts, node, caller))
        return FALSE;
    f->nodes[node].parent = caller;
    return TRUE;
}

/* The best one below each, of those that are not below a third, as it was in `before`; none where
 * by now it is below that.  How many there are. */
static guint check_best(const Fixture *f, const Fixture *before, GRand *rand)
{
    guint all = 0;
    for (guint32 node = 0; node < f->counts.node_count; node++)
        for (guint32 function = 0; function < FUNCTIONS; function++)
        {
            const guint32 moves = (guint32)g_rand_int_range(rand, 1, (gint)f->counts.node_count);
            guint32 best = 0;
            for (guint32 i = f->counts.node_count; i-- > 1;)
                if (f->nodes[i].function == function && is_below(before, i, node) &&
                    !fc_attribution_is_on_path(&before->counts, moves, i) &&
                    (best == 0 || f->nodes[i].calls > f->nodes[best].calls))
                    best = i;
            if (fc_attribution_is_on_path(&f->counts, moves, best))
                best = 0;
            g_assert_cmpuint(fc_attribution_best_below(&f->settle, node, function, moves), ==,
                             best);
            all += best != 0;
        }
    return all;
}

static guint check(const Fixture *f)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint all = 0;
    for (guint32 node = 0; node < f->counts.node_count; node++)
        for (guint32 function = 0; function < FUNCTIONS; function++)
        {
            guint next = 0;
            g_array_set_size(found, 0);
            fc_attribution_find_below(&f->settle, node, function, found);
            for (guint32 i = f->counts.node_count; i-- > 1;) /* the newest first */
                if (f->nodes[i].function == function && is_below(f, i, node))
                {
                    g_assert_cmpuint(next, <, found->len);
                    g_assert_cmpuint(g_array_index(found, guint32, next++), ==, i);
                }
            g_assert_cmpuint(next, ==, found->len);
            all += next;
        }
    return all;
}

static void test_found(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    guint found = 0;
    guint best = 0;
    guint moved = 0;
    for (guint round = 0; round < ROUNDS; round++)
    {
        Fixture f;
        start(&f, rand);
        begin(&f, rand, (guint32)g_rand_int_range(rand, 1, CONTEXTS));
        while (f.counts.node_count <= CONTEXTS)
        {
            add(&f, rand);
            if (f.counts.node_count % 100 == 0)
                found += check(&f);
        }
        Fixture before = f;
        before.counts.nodes = before.nodes;
        fc_attribution_rank_below(&f.settle);
        for (guint i = 0; i < 20 * CONTEXTS; i++)
        {
            if (i % (5 * CONTEXTS) == 0)
                best += check_best(&f, &before, rand);
            moved += move(&f, rand);
        }
        fc_attribution_forget_below(&f.settle);
    }
    g_assert_cmpuint(found, >, ROUNDS * CONTEXTS);
    g_assert_cmpuint(best, >, ROUNDS * CONTEXTS);
    g_assert_cmpuint(moved, >, ROUNDS);
}

/* Contexts that are made once nothing will be asked any more. */
static void test_forgotten(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(6);
    Fixture f;
    start(&f, rand);
    begin(&f, rand, 1);
    add(&f, rand);
    fc_attribution_forget_below(&f.settle);
    add(&f, rand);
    g_assert_null(f.settle.below.top);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/below/found", test_found);
    g_test_add_func("/below/forgotten", test_forgotten);
    return g_test_run();
}
