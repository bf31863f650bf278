/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which contexts are below others with none but counted functions between them, as contexts are
 * made: against what a walk through all of them finds.
 */
#include "fcmanager/estimate/counted-work.h"
#include "tests/unit/asan.h"

#include <string.h>

#define FUNCTIONS 12u
#define CONTEXTS 300u
#define ROUNDS (FIXTURE_ASAN ? 12u : 60u)

typedef struct
{
    FcAttribution work;
    FcCounts counts;
    FcCountsNode nodes[CONTEXTS + 1];
    guint8 is_counted[FUNCTIONS];
} Fixture;

static void start(Fixture *f, GRand *rand)
{
    memset(f, 0, sizeof *f);
    f->counts.nodes = f->nodes;
    f->counts.node_count = 1;
    f->work.counts = &f->counts;
    f->work.is_counted = f->is_counted;
    f->work.top = g_array_new(FALSE, TRUE, sizeof(guint32));
    f->work.older = g_array_new(FALSE, TRUE, sizeof(guint32));
    f->work.first_child = g_array_new(FALSE, TRUE, sizeof(guint32));
    f->work.next_child = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_array_set_size(f->work.first_child, CONTEXTS + 1);
    g_array_set_size(f->work.next_child, CONTEXTS + 1);
    fc_nodes_init(&f->work.newest, 0);
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
    guint32 *first = fc_attribution_link(f->work.first_child, f->nodes[node].parent);
    *fc_attribution_link(f->work.next_child, node) = *first;
    *first = node;
    f->counts.node_count++;
    return node;
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

static guint check(const Fixture *f)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint all = 0;
    for (guint32 node = 0; node < f->counts.node_count; node++)
        for (guint32 function = 0; function < FUNCTIONS; function++)
        {
            guint next = 0;
            g_array_set_size(found, 0);
            fc_attribution_find_below(&f->work, node, function, found);
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
    for (guint round = 0; round < ROUNDS; round++)
    {
        Fixture f;
        start(&f, rand);
        while (f.counts.node_count <= CONTEXTS)
        {
            fc_attribution_add_below(&f.work, make(&f, rand));
            if (f.counts.node_count % 100 == 0)
                found += check(&f);
        }
        fc_nodes_clear(&f.work.newest);
        g_array_unref(f.work.top);
        g_array_unref(f.work.older);
        g_array_unref(f.work.first_child);
        g_array_unref(f.work.next_child);
    }
    g_assert_cmpuint(found, >, ROUNDS * CONTEXTS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/below/found", test_found);
    return g_test_run();
}
