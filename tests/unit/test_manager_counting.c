/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that are made up at random, recorded as libfc does it: what is settled from counters and
 * records against what happened.  Calls of functions and from call sites must be the same, sums
 * must be one another's, and times as near as their own standard errors say.
 */
#include "fcmanager/estimate/counted-attribute.h"
#include "tests/unit/manager_fixture.h"

#include <math.h>
#include <string.h>

#define FUNCTIONS 12
#define SITES 3 /* call sites of each function */
#define SITE(letter, number) fc_fixture_site((char)(letter), (number))
#define PERIOD_LEAST 8
#define PERIOD_MOST 24
#define BACKOFF 2u /* how many times over it is doubled, where a function was sampled often: */
#define OFTEN 50u

typedef struct
{
    guint callee[SITES];
    guint repeat[SITES]; /* on average */
    guint own_time;      /* ticks, on average */
    gboolean is_short;   /* is to be counted */
    gboolean is_nested;  /* only calls within itself */
} Function;

typedef struct
{
    guint64 calls;
    guint64 local;
} Truth;

typedef struct
{
    FcFixture fixture;
    GRand *rand;
    Function functions[FUNCTIONS];
    gboolean counted[FUNCTIONS];
    guint open[FUNCTIONS];                      /* recorded activations on the stack */
    guint64 total[FUNCTIONS][FUNCTIONS][SITES]; /* counters, by callee and call site */
    guint64 left[FUNCTIONS][FUNCTIONS][SITES];
    gboolean is_burst;
    guint outside;  /* what hooks take: of a recorded call before and behind its two times, */
    guint inside;   /* between them; both even */
    guint counting; /* of a counted call */
    guint64 now;
    guint64 calls_made;
    guint64 begin_at; /* calls after which functions are counted */
    gboolean backs_off;
    gboolean is_widened; /* later all calls of those that call themselves are counted */
    guint samples[FUNCTIONS];
    Truth truth[FUNCTIONS];
    guint64 site_calls[FUNCTIONS][FUNCTIONS][SITES];
} Program;

static void feed(Program *p, enum FcRecordKind kind, guint count_kind, guint callee, guint64 site,
                 guint depth)
{
    struct FcRecord record = fc_fixture_record(kind == FC_RECORD_EXIT ? kind : FC_RECORD_ENTER,
                                               p->now, (char)('A' + callee), site, depth);
    if (kind == FC_RECORD_COUNT)
    {
        record.where = (record.where & ~FC_WHERE_KIND_MASK) | FC_RECORD_COUNT;
        record.function |= (guint64)count_kind << FC_COUNT_RECORD_SHIFT;
    }
    g_assert_cmpuint(fc_fixture_feed(p->fixture.stack, &record, 0, 1, FIXTURE_GENERATION), ==, 1);
}

static void begin_counting(Program *p)
{
    for (guint i = 0; i < FUNCTIONS; i++)
    {
        const Function *function = &p->functions[i];
        if (!function->is_short && !function->is_nested)
            continue;
        p->counted[i] = TRUE;
        p->open[i] = MIN(p->open[i], 1);
        feed(p, FC_RECORD_COUNT, function->is_nested ? FC_COUNT_BEGINS_NESTED : FC_COUNT_BEGINS, i,
             0, 0);
    }
}

static void widen_counting(Program *p)
{
    for (guint i = 0; i < FUNCTIONS; i++)
    {
        if (!p->functions[i].is_nested)
            continue;
        p->functions[i].is_nested = FALSE;
        feed(p, FC_RECORD_COUNT, FC_COUNT_BEGINS, i, 0, 0);
    }
}

/* How a call is recorded. */
typedef enum
{
    NOT_AT_ALL,
    IN_FULL,
    AS_SAMPLE,
} Way;

static guint backoff_of(const Program *p, guint function)
{
    return p->backs_off && p->samples[function] >= OFTEN ? BACKOFF : 0;
}

static Way enter(Program *p, guint caller, guint site, guint callee, guint depth)
{
    const guint64 place = SITE('A' + caller, site);
    const Function *function = &p->functions[callee];
    if (!p->counted[callee] || p->is_burst || (function->is_nested && p->open[callee] == 0))
    {
        p->now += p->outside / 2;
        feed(p, FC_RECORD_ENTER, 0, callee, place, depth);
        p->now += p->inside / 2;
        p->open[callee]++;
        return IN_FULL;
    }
    guint64 *left = &p->left[callee][caller][site];
    p->total[callee][caller][site]++;
    if (*left > 0 && --*left > 0)
    {
        p->now += p->counting;
        return NOT_AT_ALL;
    }
    const gboolean is_first = *left == 0 && p->total[callee][caller][site] == 1;
    const guint backoff = backoff_of(p, callee);
    p->samples[callee] += !is_first;
    *left = (guint64)g_rand_int_range(p->rand, PERIOD_LEAST, PERIOD_MOST) << backoff_of(p, callee);
    if (is_first || p->open[callee] > 0)
        p->now += p->counting;
    if (is_first)
        return NOT_AT_ALL;
    if (p->open[callee] > 0)
    {
        feed(p, FC_RECORD_COUNT, FC_COUNT_SEEN | backoff << 8, callee, place, depth);
        return NOT_AT_ALL;
    }
    p->now += p->outside / 2;
    feed(p, FC_RECORD_COUNT, FC_COUNT_SAMPLE | backoff << 8, callee, place, depth);
    p->now += p->inside / 2;
    p->open[callee]++;
    p->is_burst = TRUE;
    return AS_SAMPLE;
}

static void call(Program *p, guint caller, guint site, guint callee, guint depth)
{
    const Function *function = &p->functions[callee];
    p->truth[callee].calls++;
    p->site_calls[callee][caller][site]++;
    if (++p->calls_made == p->begin_at)
        begin_counting(p);
    /* no burst is open then: libfc ends it early */
    if (p->is_widened && !p->is_burst && p->calls_made > 3 * p->begin_at)
        widen_counting(p);
    const Way way = enter(p, caller, site, callee, depth);
    const gboolean was_counted = p->counted[callee];
    guint64 own = function->own_time > 0
                      ? (guint64)g_rand_int_range(p->rand, 1, 2 * (gint)function->own_time)
                      : 0;
    if (p->backs_off && p->calls_made > 3 * p->begin_at)
        own *= 4; /* where samples are fewer, calls take longer */
    p->now += own;
    p->truth[callee].local += own;
    for (guint i = 0; i < SITES && depth < 40; i++)
    {
        const gboolean is_itself = function->callee[i] == callee;
        if (function->callee[i] < callee && g_rand_int_range(p->rand, 0, 16) != 0)
            continue;
        const gint most = is_itself ? 2 : 2 * (gint)function->repeat[i] + 1;
        for (gint times = g_rand_int_range(p->rand, 0, most); times > 0; times--)
            call(p, callee, i, function->callee[i], depth + 1);
    }
    /* an activation that was nested when counting began was dropped then */
    const gboolean is_dropped =
        way == IN_FULL && !was_counted && p->counted[callee] && p->open[callee] == 0;
    if (way == NOT_AT_ALL || is_dropped)
        return;
    p->now += p->inside / 2;
    feed(p, FC_RECORD_EXIT, 0, callee, SITE('A' + caller, site), depth);
    p->now += p->outside / 2;
    p->open[callee]--;
    if (way == AS_SAMPLE)
        p->is_burst = FALSE;
}

/* Functions call those behind them, so that it ends; function 0 is the program. */
static void make_up(Program *p, guint32 seed, gboolean recursive)
{
    p->rand = g_rand_new_with_seed(seed);
    for (guint i = 0; i < FUNCTIONS; i++)
    {
        Function *function = &p->functions[i];
        function->own_time = (guint)g_rand_int_range(p->rand, 20, 200);
        function->is_short = i > 2 && g_rand_int_range(p->rand, 0, 4) != 0;
        for (guint s = 0; s < SITES; s++)
        {
            function->callee[s] =
                i + 1 < FUNCTIONS ? (guint)g_rand_int_range(p->rand, (gint)i + 1, FUNCTIONS) : 0;
            function->repeat[s] = i + 1 < FUNCTIONS ? (guint)g_rand_int_range(p->rand, 0, 3) : 0;
        }
    }
    for (guint s = 0; s < SITES; s++)
        p->functions[0].repeat[s] = 1500;
    if (!recursive)
        return;
    /* one that calls itself, in half of its calls */
    const guint self = (guint)g_rand_int_range(p->rand, 3, FUNCTIONS - 1);
    p->functions[self] =
        (Function){.own_time = 50, .is_nested = seed % 4 == 0, .is_short = seed % 4 != 0};
    p->functions[self].callee[0] = self;
    p->functions[self].callee[1] = self + 1;
    p->functions[self].repeat[1] = 1;
    if (seed % 8 != 2)
        return;
    /* and some that call one that may have called them */
    p->functions[self + 1].callee[2] = self - 1;
    p->functions[self + 1].repeat[2] = 1;
    p->functions[self].callee[2] = self - 2;
    p->functions[self].repeat[2] = 1;
}

static void run(Program *p)
{
    p->begin_at = (guint64)g_rand_int_range(p->rand, 2000, 6000);
    fc_fixture_start(&p->fixture);
    p->fixture.counts->slowest_most = 3;
    const struct FcModuleInfo info = {.start = fc_fixture_address('A'),
                                      .end = fc_fixture_address('z')};
    fc_modules_load(p->fixture.modules, &info, "/bin/it", 7, 0);
    p->now = 1;
    call(p, FUNCTIONS - 1, 0, 0, 0);
    g_assert_cmpuint(fc_stack_depth(p->fixture.stack), ==, 0);
    FcCounted *counted = fc_stack_counted(p->fixture.stack);
    for (guint f = 0; f < FUNCTIONS; f++)
        for (guint c = 0; c < FUNCTIONS; c++)
            for (guint s = 0; s < SITES; s++)
                if (p->total[f][c][s] > 0)
                    fc_counted_add(counted,
                                   fc_counted_find(counted, SITE('A' + c, s),
                                                   fc_fixture_address((char)('A' + f)), 0),
                                   p->total[f][c][s], FALSE);
    const FcCallOverhead costs = {
        .recorded = p->outside + p->inside, .inside = p->inside, .counted = p->counting};
    fc_counted_attribute(counted, 0, &costs);
    fc_overhead_subtract(p->fixture.counts, &costs, NULL);
    fc_counts_sum_functions(p->fixture.counts);
}

static void check_exact(const Program *p)
{
    const FcCounts *counts = p->fixture.counts;
    guint64 local = 0;
    guint64 found[FUNCTIONS][FUNCTIONS][SITES] = {{{0}}};
    for (guint f = 0; f < FUNCTIONS; f++)
    {
        const FcCountsFunction *function = fc_fixture_function(p->fixture.counts, (char)('A' + f));
        g_assert_cmpuint(function ? function->calls : 0, ==, p->truth[f].calls);
        local += function ? function->local + function->cost_local : 0;
        if (function)
        {
            g_assert_cmpuint(function->local, <=, function->total);
            g_assert_cmpuint(function->total, <=, p->now);
        }
    }
    /* each tick is somebody's, once; those around the outermost call are nobody's */
    g_assert_cmpuint(local, ==, p->now - 1 - p->outside);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const guint caller =
            arc->caller != 0
                ? (guint)((counts->functions[arc->caller - 1].address - fc_fixture_address('A')) /
                          0x1000)
                : FUNCTIONS - 1;
        const guint callee =
            (guint)((counts->functions[arc->callee].address - fc_fixture_address('A')) / 0x1000);
        const guint site = (guint)((arc->site - SITE('A' + caller, 0)) / 0x10);
        g_assert_cmpuint(site, <, SITES); /* the caller is that of the call site */
        found[callee][caller][site] += arc->calls;
    }
    g_assert_cmpmem(found, sizeof found, p->site_calls, sizeof p->site_calls);
    for (guint32 i = 1; i < counts->node_count; i++)
        g_assert_cmpuint(counts->nodes[i].local, <=, counts->nodes[i].total);
}

/* However contexts were moved, those of the slowest calls are of their functions. */
static void check_slowest(const FcCounts *counts)
{
    for (guint32 i = 0; i < counts->function_count; i++)
        for (guint32 j = 0; j < counts->slowest[i].count; j++)
        {
            const guint32 node = counts->slowest[i].calls[j].node;
            g_assert_cmpuint(node, >, 0);
            g_assert_cmpuint(node, <, counts->node_count);
            g_assert_cmpuint(counts->nodes[node].function, ==, i);
        }
}

/* How far the local times are off, in standard errors, squared: the sum over all functions that
 * were sampled well, and how many these are. */
static double distance(const Program *p, guint *number)
{
    double sum = 0;
    for (guint f = 0; f < FUNCTIONS; f++)
    {
        const FcCountsFunction *function = fc_fixture_function(p->fixture.counts, (char)('A' + f));
        if (!function || function->timed < 50)
            continue;
        const double off = (double)function->local - (double)p->truth[f].local;
        const double errors = off / sqrt(function->local_variance);
        g_assert_cmpfloat(fabs(errors), <, 5);
        sum += errors * errors;
        ++*number;
    }
    return sum;
}

static void stop(Program *p)
{
    fc_fixture_stop(&p->fixture);
    g_rand_free(p->rand);
    g_free(p);
}

static void test_random(void)
{
    double sum = 0;
    guint number = 0;
    for (guint32 seed = 1; seed <= 40; seed++)
    {
        Program *p = g_new0(Program, 1);
        make_up(p, seed, seed % 2 == 0);
        run(p);
        check_exact(p);
        check_slowest(p->fixture.counts);
        sum += distance(p, &number);
        stop(p);
    }
    /* the standard errors are neither much too small nor much too large */
    g_test_message("%u functions, mean of squares %f", number, sum / number);
    g_assert_cmpuint(number, >, 50);
    g_assert_cmpfloat(sum / number, <, 2);
    g_assert_cmpfloat(sum / number, >, 0.3);
}

/* What calls itself is counted wholly later. */
static void test_widened(void)
{
    double sum = 0;
    guint number = 0;
    for (guint32 seed = 4; seed <= 100; seed += 4)
    {
        Program *p = g_new0(Program, 1);
        make_up(p, seed, TRUE);
        p->is_widened = TRUE;
        run(p);
        check_exact(p);
        check_slowest(p->fixture.counts);
        sum += distance(p, &number);
        stop(p);
    }
    g_test_message("%u functions, mean of squares %f", number, sum / number);
    g_assert_cmpuint(number, >, 40);
    g_assert_cmpfloat(sum / number, <, 2);
    g_assert_cmpfloat(sum / number, >, 0.3);
}

/* A sample stands for more calls where fewer are taken. */
static void test_backoff(void)
{
    double sum = 0;
    guint number = 0;
    for (guint32 seed = 1; seed <= 20; seed++)
    {
        Program *p = g_new0(Program, 1);
        make_up(p, seed, FALSE);
        p->backs_off = TRUE;
        run(p);
        check_exact(p);
        sum += distance(p, &number);
        stop(p);
    }
    g_test_message("%u functions, mean of squares %f", number, sum / number);
    g_assert_cmpuint(number, >, 20);
    g_assert_cmpfloat(sum / number, <, 2);
    g_assert_cmpfloat(sum / number, >, 0.3);
}

/* Hooks that take several times what short functions do: without that, times are as they were. */
static void test_costs(void)
{
    double sum = 0;
    guint number = 0;
    for (guint32 seed = 1; seed <= 20; seed++)
    {
        Program *p = g_new0(Program, 1);
        make_up(p, seed, FALSE);
        p->outside = 60;
        p->inside = 40;
        p->counting = 9;
        run(p);
        check_exact(p);
        for (guint f = 0; f < FUNCTIONS; f++)
        {
            const FcCountsFunction *function =
                fc_fixture_function(p->fixture.counts, (char)('A' + f));
            if (!function || p->truth[f].local < 20000)
                continue;
            const double truth = (double)p->truth[f].local;
            const double off = fabs((double)function->local - truth);
            const double allowed = 5 * sqrt(function->local_variance) + 0.01 * truth;
            g_assert_cmpfloat(off, <, allowed);
            g_assert_cmpuint(function->cost_local, >, 0);
        }
        sum += distance(p, &number);
        stop(p);
    }
    g_test_message("%u functions, mean of squares %f", number, sum / number);
    g_assert_cmpuint(number, >, 20);
    g_assert_cmpfloat(sum / number, <, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/counting/random", test_random);
    g_test_add_func("/counting/widened", test_widened);
    g_test_add_func("/counting/backoff", test_backoff);
    g_test_add_func("/counting/costs", test_costs);
    return g_test_run();
}
