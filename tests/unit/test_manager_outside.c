/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks of calls are held to cost outside of themselves.
 */
#include "fcmanager/observed-outside.h"
#include "tests/unit/manager_fixture.h"

#define OF_A 0x99u
#define CALLS 1000u

/* An arc, of CALLS calls; the callee's context. */
static guint32 add_arc(FcFixture *f, guint32 caller, guint64 site, char callee)
{
    const FcMapSlot *slot = fc_counts_edge(f->counts, caller, site, fc_fixture_address(callee), 0);
    f->counts->arcs[slot->extra].calls = CALLS;
    return slot->value;
}

static guint32 function_of(const FcFixture *f, guint32 context)
{
    return f->counts->nodes[context].function;
}

/* A calls B, which is dissolved in it: so is C in B, with the call site of both.  D is not. */
static void test_dissolved(void)
{
    FcFixture f;
    fc_fixture_start(&f);
    const guint32 a = add_arc(&f, 0, OF_A, 'A');
    const guint32 b = add_arc(&f, a, OF_A, 'B');
    const guint32 c = add_arc(&f, b, OF_A, 'C');
    const guint32 d = add_arc(&f, a, fc_fixture_site('A', 0), 'D');
    const double inside = fc_fixture_costs.counted;
    const double hooks = inside + 4 * CALLS * fc_fixture_costs.recorded;
    g_auto(FcOutside) outside = fc_outside_of(f.counts, &fc_fixture_costs, hooks);
    const double *dissolved = outside.dissolved;
    const double *others = outside.others;
    const guint32 of[] = {function_of(&f, a), function_of(&f, b), function_of(&f, c),
                          function_of(&f, d)};
    g_assert_cmpfloat(dissolved[of[2]], >, 0); /* half of a call to C */
    g_assert_cmpfloat_with_epsilon(dissolved[of[0]], dissolved[of[2]], 1e-6); /* of one to B */
    g_assert_cmpfloat_with_epsilon(dissolved[of[1]], 2 * dissolved[of[2]], 1e-6);
    g_assert_cmpfloat(dissolved[of[3]], ==, 0);
    g_assert_cmpfloat(others[of[1]] + others[of[2]], ==, 0);
    g_assert_cmpfloat(others[of[3]], >, 0);
    g_assert_cmpfloat(others[of[3]], <, dissolved[of[2]]);
    /* what is left is never less than nothing nor more than was seen, and less of what was
     * dissolved */
    const double seen[] = {0, others[of[3]] / 2, others[of[3]], 10 * others[of[3]]};
    for (guint i = 0; i < G_N_ELEMENTS(seen); i++)
    {
        const double of_c = fc_outside_left(&outside, of[2], seen[i]);
        const double of_d = fc_outside_left(&outside, of[3], seen[i]);
        g_assert_cmpfloat(of_c, >=, 0);
        g_assert_cmpfloat(of_d, <=, seen[i]);
        g_assert_true(i == 0 ? of_c == of_d : of_c < of_d);
    }
    fc_fixture_stop(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/outside/dissolved", test_dissolved);
    return g_test_run();
}
