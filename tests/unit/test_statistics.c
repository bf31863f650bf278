/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The statistics of differences against published tables and worked examples.
 */
#include "model/statistics.h"

#include <math.h>

static void assert_near(double found, double expected, double tolerance)
{
    if (fabs(found - expected) > tolerance)
        g_error("%.12g in place of %.12g", found, expected);
}

/* Critical values of Student's t as they are printed in tables, two-sided. */
static void test_student(void)
{
    static const struct
    {
        double tail;
        double freedom;
        double t;
    } table[] = {
        {0.05, 1, 12.706},  {0.05, 2, 4.303},   {0.05, 8, 2.306},    {0.05, 10, 2.228},
        {0.05, 30, 2.042},  {0.05, 120, 1.980}, {0.01, 1, 63.657},   {0.01, 4, 4.604},
        {0.01, 8, 3.355},   {0.01, 20, 2.845},  {0.01, 120, 2.617},  {0.10, 5, 2.015},
        {0.001, 8, 5.041},  {0.001, 30, 3.646}, {0.002, 15, 3.733},  {0.20, 3, 1.638},
        {0.05, 1e9, 1.960}, {0.01, 1e9, 2.576}, {0.001, 1e9, 3.291},
    };
    for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    {
        const double t = fc_student_bound(table[i].tail, table[i].freedom);
        assert_near(t, table[i].t, 0.00051);
        assert_near(fc_student_tail(t, table[i].freedom), table[i].tail, 1e-9);
        assert_near(fc_student_tail(-t, table[i].freedom), table[i].tail, 1e-9);
    }
    assert_near(fc_student_tail(0, 5), 1, 1e-12);
    /* With one and two degrees there are closed forms, far out too: the many tests need them. */
    for (double t = 0.1; t < 1e5; t *= 3)
    {
        assert_near(fc_student_tail(t, 1) / (2 * atan(1 / t) / M_PI), 1, 1e-9);
        const double closed =
            2 / ((2 + t * t) * (1 + t / sqrt(2 + t * t))); /* = 1 - t/sqrt(2+t^2) */
        assert_near(fc_student_tail(t, 2) / closed, 1, 1e-9);
    }
    /* From one million degrees on it is the normal distribution. */
    assert_near(fc_student_tail(3, 999999), fc_student_tail(3, 1000001), 1e-7);
}

static FcMoments spread_of(const double *values, guint count)
{
    FcMoments spread = {0};
    for (guint i = 0; i < count; i++)
        fc_moments_add(&spread, i, values[i]);
    return spread;
}

static void test_spread(void)
{
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* mean 5, squares 9+1+1+1+4+16 */
    FcMoments spread = spread_of(values, G_N_ELEMENTS(values));
    assert_near(spread.mean, 5, 1e-12);
    assert_near(spread.squares, 32, 1e-12);
    static const double same[] = {123456789012, 123456789012, 123456789012, 123456789012};
    spread = spread_of(same, G_N_ELEMENTS(same));
    g_assert_true(spread.mean == same[0] && spread.squares == 0);
    static const double few[] = {6};
    spread = spread_of(few, 1);
    fc_moments_fill(&spread, 1, 3); /* 6, 0, 0 */
    assert_near(spread.mean, 2, 1e-12);
    assert_near(spread.squares, 24, 1e-12);
}

/* By hand: 1 2 3 4 5 have the mean 3 and the variance 2.5, that of the mean is 0.5; 6 8 10 have 8,
 * 4 and 4/3.  The change is 5, its error sqrt(11/6), the freedom (11/6)^2 / (0.5^2/4 + (4/3)^2/2).
 */
static void test_welch(void)
{
    static const double before[] = {1, 2, 3, 4, 5};
    static const double after[] = {6, 8, 10};
    const FcMoments spreads[2] = {spread_of(before, 5), spread_of(after, 3)};
    const guint counts[2] = {5, 3};
    const double nothing[2] = {0, 0};
    FcWelch welch = fc_welch(spreads, counts, nothing);
    assert_near(welch.change, 5, 1e-12);
    assert_near(welch.error, sqrt(11.0 / 6), 1e-12);
    assert_near(welch.freedom, (121.0 / 36) / (0.0625 + 8.0 / 9), 1e-12);
    /* Equal sizes and variances: the freedom of Student's own test. */
    static const double later[] = {11, 12, 13, 14, 15};
    const FcMoments equals[2] = {spreads[0], spread_of(later, 5)};
    const guint fives[2] = {5, 5};
    welch = fc_welch(equals, fives, nothing);
    assert_near(welch.error, 1, 1e-12);
    assert_near(welch.freedom, 8, 1e-9);
    /* One value after: with the spread before, of which four degrees are known. */
    const FcMoments single[2] = {spreads[0], {.mean = 9}};
    const guint five_one[2] = {5, 1};
    welch = fc_welch(single, five_one, nothing);
    assert_near(welch.error, sqrt(2.5 / 5 + 2.5), 1e-12);
    assert_near(welch.freedom, 4, 1e-12);
    /* What an estimate's error says is more than what four runs happened to show. */
    const double estimated[2] = {0, 9};
    welch = fc_welch(single, five_one, estimated);
    assert_near(welch.error, sqrt(2.5 / 5 + 9), 1e-12);
}

static void test_single_runs(void)
{
    const FcMoments single[2] = {{.mean = 4}, {.mean = 9}};
    const guint ones[2] = {1, 1};
    const double nothing[2] = {0, 0};
    FcWelch welch = fc_welch(single, ones, nothing);
    g_assert_true(welch.change == 5 && welch.freedom == 0);
    const double estimated[2] = {9, 16};
    welch = fc_welch(single, ones, estimated);
    assert_near(welch.error, 5, 1e-12);
    assert_near(fc_student_bound(0.05, welch.freedom), 1.95996, 1e-4);
}

/* The fifteen tests of Benjamini and Hochberg's article of 1995: with 5% the first four are found.
 */
static void test_discoveries(void)
{
    double tails[] = {0.0459, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
                      0.0344, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    const double level = fc_discovery_level(tails, G_N_ELEMENTS(tails), 0.05);
    assert_near(level, 4 * 0.05 / 15, 1e-12);
    g_assert_true(tails[3] <= level && tails[4] > level);
    double unlike[] = {0.9, 0.2, 0.02};
    assert_near(fc_discovery_level(unlike, 3, 0.05), 0.05 / 3, 1e-12);
    double all[] = {0.04, 0.05, 0.03};
    assert_near(fc_discovery_level(all, 3, 0.05), 0.05, 1e-12);
    assert_near(fc_discovery_level(NULL, 0, 0.05), 0.05, 1e-12);
}

static guint64 random_state;

/* Uniform in (0, 1); the same sequence each time. */
static double next_random(void)
{
    random_state = random_state * G_GUINT64_CONSTANT(6364136223846793005) + 1442695040888963407;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double next_normal(void)
{
    return sqrt(-2 * log(next_random())) * cos(2 * M_PI * next_random());
}

/* 400 functions that did not change, 5 and 5 runs with 1% of noise, 500 times: with a rate of 1% it
 * may be that some comparison finds something, of about one in a hundred; three are allowed. And of
 * a function that became 10% slower beside them four of five comparisons tell: five runs are few.
 */
static void test_comparisons(void)
{
    enum
    {
        FUNCTIONS = 400,
        COMPARISONS = 500,
        RUNS = 5,
    };
    const guint counts[2] = {RUNS, RUNS};
    const double nothing[2] = {0, 0};
    guint wrong = 0;
    guint told = 0;
    for (guint i = 0; i < COMPARISONS; i++)
    {
        double tails[FUNCTIONS + 1];
        for (guint f = 0; f <= FUNCTIONS; f++)
        {
            FcMoments spreads[2] = {{0}, {0}};
            const double slower = f == FUNCTIONS && i % 2 == 1 ? 1.1 : 1.0;
            for (guint run = 0; run < 2 * RUNS; run++)
                fc_moments_add(&spreads[run / RUNS], run % RUNS,
                               1000 * (run < RUNS ? 1 : slower) * (1 + 0.01 * next_normal()));
            const FcWelch welch = fc_welch(spreads, counts, nothing);
            tails[f] = fc_student_tail(welch.change / welch.error, welch.freedom);
        }
        const double slower_tail = tails[FUNCTIONS];
        const double level = fc_discovery_level(tails, FUNCTIONS + 1, 0.01);
        if (i % 2 == 1)
            told += slower_tail <= level;
        else
            wrong += tails[0] <= level;
    }
    g_assert_cmpuint(wrong, <=, COMPARISONS / 2 * 3 / 100);
    g_assert_cmpuint(told, >=, COMPARISONS / 2 * 4 / 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/statistics/student", test_student);
    g_test_add_func("/statistics/spread", test_spread);
    g_test_add_func("/statistics/welch", test_welch);
    g_test_add_func("/statistics/single-runs", test_single_runs);
    g_test_add_func("/statistics/discoveries", test_discoveries);
    g_test_add_func("/statistics/comparisons", test_comparisons);
    return g_test_run();
}
