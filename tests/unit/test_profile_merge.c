/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sum of several profiles, and the module of an address.
 */
#include "profile/difference.h"
#include "profile_fixture.h"

static const FcProfileFunction *function_at(const FcProfile *profile, guint index)
{
    g_assert_cmpuint(index, <, profile->functions->len);
    return &g_array_index(profile->functions, FcProfileFunction, index);
}

/* Every number of `profile` is `times` that of the plain one. */
static void assert_times_plain(const FcProfile *profile, guint64 times)
{
    g_autoptr(FcProfile) plain = fixture_plain_new();
    g_assert_cmpuint(profile->run_ns, ==, times * 5000);
    g_assert_cmpuint(profile->modules->len, ==, 2);
    g_assert_cmpuint(profile->functions->len, ==, 3);
    g_assert_cmpuint(profile->arcs->len, ==, 3);
    g_assert_cmpuint(profile->contexts->len, ==, 3);
    for (guint i = 0; i < 3; i++)
    {
        const FcProfileFunction *one = function_at(plain, i);
        const FcProfileFunction *sum = function_at(profile, i);
        g_assert_cmphex(sum->location.offset, ==, one->location.offset);
        g_assert_cmpuint(sum->calls, ==, times * one->calls);
        g_assert_cmpuint(sum->times.total_ns, ==, times * one->times.total_ns);
        g_assert_cmpuint(sum->times.local_ns, ==, times * one->times.local_ns);
        g_assert_cmpuint(sum->bounds.total_min_ns, ==, one->bounds.total_min_ns);
        g_assert_cmpuint(sum->bounds.total_max_ns, ==, one->bounds.total_max_ns);
        g_assert_cmpuint(sum->bounds.local_min_ns, ==, one->bounds.local_min_ns);
        g_assert_cmpuint(sum->bounds.local_max_ns, ==, one->bounds.local_max_ns);
        for (guint j = 0; j < FC_HISTOGRAM_BUCKETS; j++)
            g_assert_cmpuint(fc_histogram_get(&sum->histogram, j), ==,
                             times * fc_histogram_get(&one->histogram, j));

        const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        const FcProfileArc *one_arc = &g_array_index(plain->arcs, FcProfileArc, i);
        g_assert_cmpint(arc->caller, ==, one_arc->caller);
        g_assert_cmpuint(arc->callee, ==, one_arc->callee);
        g_assert_cmpuint(arc->calls, ==, times * one_arc->calls);
        g_assert_cmpuint(arc->times.total_ns, ==, times * one_arc->times.total_ns);

        const FcProfileContext *node = &g_array_index(profile->contexts, FcProfileContext, i);
        const FcProfileContext *one_node = &g_array_index(plain->contexts, FcProfileContext, i);
        g_assert_cmpint(node->parent, ==, one_node->parent);
        g_assert_cmpuint(node->calls, ==, times * one_node->calls);
        g_assert_cmpuint(node->times.total_ns, ==, times * one_node->times.total_ns);
        g_assert_cmpuint(node->times.local_ns, ==, times * one_node->times.local_ns);
    }
}

/* As if the same program had been loaded elsewhere. */
static void move_modules(FcProfile *profile, guint64 by)
{
    for (guint i = 0; i < profile->modules->len; i++)
    {
        FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);
        module->base += by * (i + 1);
        module->start += by * (i + 1);
        module->end += by * (i + 1);
    }
    for (guint i = 0; i < 3; i++)
    {
        FcProfileLocation *places[] = {
            &g_array_index(profile->functions, FcProfileFunction, i).location,
            &g_array_index(profile->arcs, FcProfileArc, i).site,
            &g_array_index(profile->contexts, FcProfileContext, i).site,
        };
        for (guint j = 0; j < G_N_ELEMENTS(places); j++)
            places[j]->address += by * (guint64)(places[j]->module + 1);
    }
}

static void test_into_empty(void)
{
    g_autoptr(FcProfile) sum = fc_profile_new();
    g_autoptr(FcProfile) plain = fixture_plain_new();
    fc_profile_merge(sum, plain);
    fixture_assert_equal(sum, plain);
    fc_profile_merge(sum, plain);
    assert_times_plain(sum, 2);
}

/* Matched by build-id and by path, not by address. */
static void test_moved(void)
{
    g_autoptr(FcProfile) sum = fixture_plain_new();
    g_autoptr(FcProfile) moved = fixture_plain_new();
    move_modules(moved, 0x100000);
    /* A program with a build-id may have another name. */
    FcProfileModule *app = &g_array_index(moved->modules, FcProfileModule, 0);
    g_free(app->path);
    app->path = g_strdup("/elsewhere/app");
    fc_profile_merge(sum, moved);
    assert_times_plain(sum, 2);

    /* What is new in it stands where it would have been here. */
    const FcProfileFunction extra = {.location = {0x202500, 0x500, 1}, .calls = 9};
    g_array_append_val(moved->functions, extra);
    fc_profile_merge(sum, moved);
    g_assert_cmphex(function_at(sum, 3)->location.address, ==, 0x2500);
    g_assert_cmphex(function_at(sum, 3)->location.offset, ==, 0x500);
    g_assert_cmpint(function_at(sum, 3)->location.module, ==, 1);
}

/* The same path with another build-id is another program. */
static void test_rebuilt(void)
{
    g_autoptr(FcProfile) sum = fixture_plain_new();
    g_autoptr(FcProfile) rebuilt = fixture_plain_new();
    FcProfileModule *app = &g_array_index(rebuilt->modules, FcProfileModule, 0);
    g_free(app->build_id);
    app->build_id = g_strdup("b2");
    fc_profile_merge(sum, rebuilt);
    g_assert_cmpuint(sum->modules->len, ==, 3);
    /* main and work twice; helper is in the library that is the same. */
    g_assert_cmpuint(sum->functions->len, ==, 5);
    g_assert_cmpuint(function_at(sum, 2)->calls, ==, 8);
    g_assert_cmpuint(function_at(sum, 3)->calls, ==, 1);
    g_assert_cmpint(function_at(sum, 3)->location.module, ==, 2);
    g_assert_cmpuint(sum->arcs->len, ==, 6);
    const FcProfileArc *arc = &g_array_index(sum->arcs, FcProfileArc, 5);
    g_assert_cmpint(arc->caller, ==, 4);
    g_assert_cmpuint(arc->callee, ==, 2);
    g_assert_cmpuint(sum->contexts->len, ==, 6);
    g_assert_cmpint(g_array_index(sum->contexts, FcProfileContext, 5).parent, ==, 4);
}

/* Of two ranks what they have in common stays, and nothing is left of what differs. */
static void test_ranks(void)
{
    g_autoptr(FcProfile) sum = fixture_plain_new();
    g_autoptr(FcProfile) other = fixture_plain_new();
    const FcProfileJob job = {
        .rank = 0, .local_rank = 0, .size = 2, .name = (char *)"job", .host = (char *)"one"};
    fc_profile_copy_job(&sum->job, &job);
    fc_profile_copy_job(&other->job, &job);
    other->job.rank = 1;
    g_free(other->job.host);
    other->job.host = g_strdup("two");
    fc_profile_merge(sum, other);
    g_assert_cmpint(sum->job.rank, ==, FC_NONE);
    g_assert_cmpint(sum->job.local_rank, ==, 0);
    g_assert_cmpuint(sum->job.size, ==, 2);
    g_assert_cmpstr(sum->job.name, ==, "job");
    g_assert_cmpstr(sum->job.host, ==, NULL);
}

/* The plain one with figures of its own. */
static FcProfile *make_rank(GRand *rand, guint rank)
{
    FcProfile *profile = fixture_plain_new();
    for (guint i = 0; i < profile->functions->len; i++)
    {
        FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, i);
        function->calls = g_rand_int(rand);
        function->times.total_ns = (guint64)g_rand_int(rand) << 20 | rank;
        function->times.local_ns = function->times.total_ns / 3;
        function->times.local_wait_ns = function->times.local_ns / 7;
        function->counted = g_rand_boolean(rand) ? function->calls : 0;
        function->total_error_ns = g_rand_boolean(rand) ? g_rand_int(rand) : 0;
        function->local_error_ns = function->total_error_ns / 2;
    }
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        FcProfileContext *context = &g_array_index(profile->contexts, FcProfileContext, i);
        context->calls = g_rand_int_range(rand, 0, 3);
        context->times.total_ns = context->calls * g_rand_int(rand);
    }
    if (rank % 3 == 0) /* which nothing refers to by now */
    {
        g_array_set_size(profile->contexts, 1);
        g_array_set_size(profile->arcs, 1);
        g_array_set_size(profile->functions, 2);
    }
    const FcProfileThread thread = {.tid = rank,
                                    .calls = 5,
                                    .run_ns = g_rand_int(rand),
                                    .functions = g_array_new(FALSE, TRUE, 1),
                                    .stack = g_array_new(FALSE, TRUE, 1)};
    g_array_append_val(profile->threads, thread);
    fc_profile_begin_ranks(profile, rank, FALSE);
    fc_profile_fold_threads(profile);
    return profile;
}

static void merge_folded(FcProfile *into, const FcProfile *other)
{
    fc_profile_merge(into, other);
    fc_profile_fold_threads(into);
}

/* Merges of merges, however the ranks are put into groups and through files, are the merge of all.
 */
static void test_groups(void)
{
    const guint count = 40;
    for (guint32 round = 0; round < 50; round++)
    {
        g_autoptr(GRand) rand = g_rand_new_with_seed(round);
        g_autoptr(FcProfile) all = fc_profile_new();
        g_autoptr(FcProfile) merged = fc_profile_new();
        g_autoptr(GPtrArray) ranks =
            g_ptr_array_new_with_free_func((GDestroyNotify)fc_profile_free);
        for (guint rank = 0; rank < count; rank++)
            g_ptr_array_add(ranks, make_rank(rand, rank));
        for (guint rank = 0; rank < count; rank++)
            merge_folded(all, ranks->pdata[rank]);
        for (guint rank = 0; rank < count;)
        {
            g_autoptr(FcProfile) group = fc_profile_new();
            for (guint more = (guint)g_rand_int_range(rand, 1, 9); more > 0 && rank < count; more--)
                merge_folded(group, ranks->pdata[rank++]);
            g_autoptr(GString) text = fc_profile_format(group);
            g_autoptr(FcProfile) read = fc_profile_parse(text->str, text->len, NULL);
            g_assert_nonnull(read);
            merge_folded(merged, read);
        }
        g_autoptr(GString) a = fc_profile_format(all);
        g_autoptr(GString) b = fc_profile_format(merged);
        g_assert_cmpstr(a->str, ==, b->str);
        g_assert_cmpuint(all->ranks, ==, count);
        g_assert_cmpuint(all->merged_threads, ==, count);
        g_assert_cmpuint(all->threads->len, ==, 1);
    }
}

/* By hand: 3 calls in rank 0, 5 in rank 1, none in rank 2. */
static void test_spread(void)
{
    const guint64 calls[] = {3, 5, 0};
    g_autoptr(FcProfile) sum = fc_profile_new();
    for (guint rank = 0; rank < G_N_ELEMENTS(calls); rank++)
    {
        g_autoptr(FcProfile) one = fixture_plain_new();
        FcProfileFunction *main = &g_array_index(one->functions, FcProfileFunction, 0);
        main->calls = calls[rank];
        main->times = (FcProfileTimes){.total_ns = 100 * calls[rank],
                                       .local_ns = 10 * calls[rank],
                                       .local_wait_ns = 4 * calls[rank]};
        fc_profile_begin_ranks(one, rank, rank == 1);
        fc_profile_merge(sum, one);
    }
    const FcProfileRanks *record = &g_array_index(sum->rank_functions, FcProfileRanks, 0);
    g_assert_cmpuint(sum->ranks, ==, 3);
    g_assert_cmpuint(record->of, ==, 0);
    g_assert_cmpuint(record->ranks, ==, 2);
    g_assert_cmpuint(record->calls.sum, ==, 8);
    g_assert_cmpuint(record->calls.least, ==, 3);
    g_assert_cmpuint(record->calls.most, ==, 5);
    g_assert_cmpint(record->calls.most_rank, ==, 1);
    g_assert_cmpuint(record->calls.squares.low, ==, 34);
    g_assert_cmpuint(record->calls.chosen, ==, 5);
    g_assert_cmpuint(record->local.sum, ==, 48);
    g_assert_cmpuint(record->local.most, ==, 30);
    g_assert_cmpuint(record->local.squares.low, ==, 18 * 18 + 30 * 30);
    g_assert_cmpuint(record->total.sum, ==, 800);
}

static void test_squares(void)
{
    const guint64 numbers[] = {0, 1, 2, 3, 1000000007, G_MAXUINT32, G_MAXUINT64 - 1, G_MAXUINT64};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    {
        FcSquare square = fc_square_of(numbers[i]);
        FcSquare read;
        g_autoptr(GString) text = g_string_new(NULL);
        g_assert_cmpuint(fc_square_root(square), ==, numbers[i]);
        fc_square_append(text, square);
        g_assert_true(fc_square_parse(text->str, text->len, &read));
        g_assert_cmpmem(&read, sizeof read, &square, sizeof square);
        if (numbers[i] == 0)
            continue;
        const FcSquare more = {2 * numbers[i], numbers[i] > G_MAXUINT64 / 2};
        fc_square_add(&square, more); /* one less than the next square */
        g_assert_cmpuint(fc_square_root(square), ==, numbers[i]);
    }
    FcSquare most = fc_square_of(G_MAXUINT64);
    fc_square_add(&most, most);
    g_assert_cmpuint(most.low & most.high, ==, G_MAXUINT64);
    const char *const wrong[] = {"", "1x", "-1", "340282366920938463463374607431768211456"};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_false(fc_square_parse(wrong[i], strlen(wrong[i]), &most));
    g_assert_true(fc_square_parse("340282366920938463463374607431768211455", 39, &most));
    g_assert_cmpuint(most.low & most.high, ==, G_MAXUINT64);
}

/* What nothing lies in is dropped, and what does is where it was. */
static void test_unused_modules(void)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    g_autoptr(FcProfile) plain = fixture_plain_new();
    const guint count = profile->modules->len;
    for (guint i = 0; i < 2 * count + 1; i++)
    {
        const FcProfileModule unused = {.path = g_strdup("/unused"), .start = 1, .end = 2};
        g_array_insert_val(profile->modules, 1, unused);
    }
    for (guint i = 0; i < 3; i++)
    {
        FcProfileLocation *places[] = {
            &g_array_index(profile->functions, FcProfileFunction, i).location,
            &g_array_index(profile->arcs, FcProfileArc, i).site,
            &g_array_index(profile->contexts, FcProfileContext, i).site,
        };
        for (guint j = 0; j < G_N_ELEMENTS(places); j++)
            if (places[j]->module > 0)
                places[j]->module += 2 * (gint)count + 1;
    }
    fc_profile_drop_modules(profile);
    fixture_assert_equal(profile, plain);
}

static void test_extremes(void)
{
    g_autoptr(FcProfile) sum = fixture_plain_new();
    g_autoptr(FcProfile) other = fixture_plain_new();
    FcProfileFunction *function = &g_array_index(other->functions, FcProfileFunction, 1);
    function->bounds.total_min_ns = 400;
    function->bounds.total_max_ns = 3600;
    function->bounds.local_min_ns = 600;
    function->bounds.local_max_ns = 2400;
    /* Called, but never completed: its zeros are no times. */
    FcProfileFunction *open = &g_array_index(other->functions, FcProfileFunction, 0);
    fc_histogram_clear(&open->histogram);
    *open = (FcProfileFunction){.location = open->location, .calls = 1, .times.total_ns = 10};
    fc_profile_merge(sum, other);
    g_assert_cmpuint(function_at(sum, 0)->bounds.total_min_ns, ==, 5000);
    g_assert_cmpuint(function_at(sum, 0)->bounds.local_min_ns, ==, 1000);
    g_assert_cmpuint(function_at(sum, 0)->calls, ==, 2);
    g_assert_cmpuint(function_at(sum, 1)->bounds.total_min_ns, ==, 400);
    g_assert_cmpuint(function_at(sum, 1)->bounds.total_max_ns, ==, 3600);
    g_assert_cmpuint(function_at(sum, 1)->bounds.local_min_ns, ==, 500);
    g_assert_cmpuint(function_at(sum, 1)->bounds.local_max_ns, ==, 2500);

    /* And the other way round. */
    g_autoptr(FcProfile) plain = fixture_plain_new();
    fc_profile_merge(other, plain);
    g_assert_cmpuint(function_at(other, 0)->bounds.total_min_ns, ==, 5000);
    g_assert_cmpuint(function_at(other, 0)->bounds.total_max_ns, ==, 5000);
    g_assert_cmpuint(function_at(other, 0)->times.total_ns, ==, 5010);
}

/* Only one of the two had calls that waited: the other's bounds are those of its elapsed times. */
static void test_cpu_extremes(void)
{
    for (int turn = 0; turn < 2; turn++)
    {
        g_autoptr(FcProfile) sum = fixture_plain_new();
        g_autoptr(FcProfile) other = fixture_plain_new();
        const FcProfileFunction elapsed = *function_at(sum, 1);
        FcProfileFunction *function =
            &g_array_index((turn ? sum : other)->functions, FcProfileFunction, 1);
        function->has_cpu_bounds = TRUE;
        function->cpu = (FcProfileBounds){7, elapsed.bounds.total_max_ns - 1, 5,
                                          elapsed.bounds.local_max_ns - 1};
        fc_profile_merge(sum, other);
        function = &g_array_index(sum->functions, FcProfileFunction, 1);
        g_assert_true(function->has_cpu_bounds);
        g_assert_cmpuint(function->cpu.total_min_ns, ==, 7);
        g_assert_cmpuint(function->cpu.total_max_ns, ==, elapsed.bounds.total_max_ns);
        g_assert_cmpuint(function->cpu.local_min_ns, ==, 5);
        g_assert_cmpuint(function->cpu.local_max_ns, ==, elapsed.bounds.local_max_ns);
        g_assert_cmpuint(function->bounds.total_min_ns, ==, elapsed.bounds.total_min_ns);
        g_assert_false(function_at(sum, 0)->has_cpu_bounds);
        fc_profile_choose_time(sum, FC_TIME_PART_CPU);
        g_assert_cmpuint(function_at(sum, 1)->bounds.total_min_ns, ==, 7);
        /* those of elapsed times are still there, and are added, too */
        function = &g_array_index(sum->functions, FcProfileFunction, 1);
        g_assert_cmpuint(fc_profile_elapsed_bounds(function).total_min_ns, ==,
                         elapsed.bounds.total_min_ns);
        g_assert_cmpuint(fc_profile_elapsed_bounds(function_at(sum, 0)).total_max_ns, ==,
                         function_at(sum, 0)->bounds.total_max_ns);
        FcProfileFunction more = elapsed;
        more.bounds.total_max_ns = elapsed.bounds.total_max_ns + 5;
        fc_profile_add_figures(function, TRUE, &more, TRUE);
        g_assert_cmpuint(function->bounds.total_max_ns, ==, more.bounds.total_max_ns);
        g_assert_cmpuint(fc_profile_elapsed_bounds(function).total_max_ns, ==,
                         more.bounds.total_max_ns);
        g_assert_cmpuint(fc_profile_elapsed_bounds(function).total_min_ns, ==,
                         elapsed.bounds.total_min_ns);
    }
}

/* A call of 0 ns did complete: the least time stays 0. */
static void test_zero_minimum(void)
{
    g_autoptr(FcProfile) sum = fixture_plain_new();
    g_autoptr(FcProfile) other = fixture_plain_new();
    FcProfileFunction *helper = &g_array_index(other->functions, FcProfileFunction, 2);
    helper->bounds.total_min_ns = 7;
    helper->bounds.local_min_ns = 7;
    fc_profile_merge(sum, other);
    g_assert_cmpuint(function_at(sum, 2)->bounds.total_min_ns, ==, 0);
    g_assert_cmpuint(function_at(sum, 2)->bounds.local_min_ns, ==, 0);

    g_autoptr(FcProfile) zero = fixture_plain_new();
    FcProfileFunction *work = &g_array_index(zero->functions, FcProfileFunction, 1);
    fc_histogram_clear(&work->histogram);
    *work = (FcProfileFunction){.location = work->location, .calls = 1};
    *fc_histogram_at(&work->histogram, 0) = 1;
    fc_profile_merge(sum, zero);
    g_assert_cmpuint(function_at(sum, 1)->bounds.total_min_ns, ==, 0);
    g_assert_cmpuint(function_at(sum, 1)->bounds.total_max_ns, ==, 3000);
}

/* One library loaded twice in the added profile is one library. */
static void test_reloaded(void)
{
    g_autoptr(FcProfile) other = fixture_plain_new();
    FcProfileModule again = g_array_index(other->modules, FcProfileModule, 1);
    again.path = g_strdup(again.path);
    again.base = 0x9000;
    g_array_append_val(other->modules, again);
    FcProfileFunction helper = *function_at(other, 2);
    helper.location = (FcProfileLocation){0x9100, 0x100, 2};
    helper.histogram = fc_histogram_copy(&helper.histogram);
    g_array_append_val(other->functions, helper);

    g_autoptr(FcProfile) sum = fixture_plain_new();
    fc_profile_merge(sum, other);
    g_assert_cmpuint(sum->modules->len, ==, 2);
    g_assert_cmpuint(sum->functions->len, ==, 3);
    g_assert_cmpuint(function_at(sum, 2)->calls, ==, 12);
}

static void test_threads_and_notes(void)
{
    g_autoptr(FcProfile) sum = fixture_plain_new();
    g_autoptr(FcProfile) other = fixture_plain_new();
    /* So that the indices differ: a function that only the first has. */
    const FcProfileFunction extra = {.location = {0x77, 0x77, FC_NONE}, .calls = 1};
    g_array_prepend_val(other->functions, extra);
    for (guint i = 0; i < 3; i++)
    {
        FcProfileArc *arc = &g_array_index(other->arcs, FcProfileArc, i);
        arc->callee++;
        arc->caller += arc->caller != FC_NONE;
        g_array_index(other->contexts, FcProfileContext, i).function++;
    }
    FcProfileThread thread = {
        .tid = 5,
        .name = g_strdup("worker"),
        .functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction)),
        .stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame)),
    };
    const FcProfileThreadFunction part = {3, 4, {1000, 1000}};
    const FcProfileFrame frame = {0, {0x2110, 0x110, 1}};
    g_array_append_val(thread.functions, part);
    g_array_append_val(thread.stack, frame);
    const FcProfileThreadArc own_arc = {0, 2, {700, 0, 7, 0, 70}};
    const FcProfileArc other_arc = {.caller = 1, .callee = 0, .calls = 2, .times.total_ns = 700};
    thread.arcs = g_array_new(FALSE, TRUE, sizeof own_arc);
    g_array_append_val(thread.arcs, own_arc);
    g_array_prepend_val(other->arcs, other_arc);
    g_array_append_val(other->threads, thread);
    fc_profile_note(sum->repairs, "jump", 1);
    fc_profile_note(other->repairs, "jump", 2);
    fc_profile_note(other->losses, "lost-records", 3);

    fc_profile_merge(sum, other);
    fc_profile_merge(sum, other);
    g_assert_cmpuint(sum->functions->len, ==, 4);
    g_assert_cmpuint(sum->arcs->len, ==, 4);
    g_assert_cmpuint(sum->threads->len, ==, 2);
    const FcProfileThread *added = &g_array_index(sum->threads, FcProfileThread, 1);
    g_assert_cmpstr(added->name, ==, "worker");
    g_assert_cmpuint(g_array_index(added->functions, FcProfileThreadFunction, 0).function, ==, 2);
    g_assert_cmpuint(g_array_index(added->stack, FcProfileFrame, 0).function, ==, 3);
    const FcProfileThreadArc *added_arc = &g_array_index(added->arcs, FcProfileThreadArc, 0);
    const FcProfileArc *merged = &g_array_index(sum->arcs, FcProfileArc, added_arc->arc);
    g_assert_cmpuint(added_arc->calls, ==, 2);
    g_assert_cmpuint(merged->callee, ==, 3); /* the function that only the other has */
    g_assert_cmpuint(merged->calls, ==, 4);
    g_assert_cmpuint(sum->repairs->len, ==, 1);
    g_assert_cmpuint(g_array_index(sum->repairs, FcProfileNote, 0).count, ==, 5);
    g_assert_cmpuint(g_array_index(sum->losses, FcProfileNote, 0).count, ==, 6);
}

/* The sum is independent of the order, and nothing gets lost. */
static void test_order(void)
{
    for (guint32 seed = 1; seed < 40; seed++)
    {
        g_autoptr(FcProfile) a = fixture_profile_new(seed, 11);
        g_autoptr(FcProfile) b = fixture_profile_new(seed + 1000, 7);
        FcProfile *sums[] = {fc_profile_new(), fc_profile_new()};
        guint64 calls[2] = {0, 0};
        guint64 expected = 0;
        for (guint i = 0; i < a->functions->len + b->functions->len; i++)
        {
            FcProfileFunction *function =
                i < a->functions->len
                    ? &g_array_index(a->functions, FcProfileFunction, i)
                    : &g_array_index(b->functions, FcProfileFunction, i - a->functions->len);
            function->calls >>= 8;
            expected += function->calls;
        }
        fc_profile_merge(sums[0], a);
        fc_profile_merge(sums[0], b);
        fc_profile_merge(sums[1], b);
        fc_profile_merge(sums[1], a);
        for (guint i = 0; i < 2; i++)
        {
            for (guint j = 0; j < sums[i]->functions->len; j++)
                calls[i] += function_at(sums[i], j)->calls;
            g_assert_cmpuint(calls[i], ==, expected);
        }
        g_assert_cmpuint(sums[0]->functions->len, ==, sums[1]->functions->len);
        g_assert_cmpuint(sums[0]->arcs->len, ==, sums[1]->arcs->len);
        g_assert_cmpuint(sums[0]->contexts->len, ==, sums[1]->contexts->len);
        g_assert_cmpuint(sums[0]->modules->len, ==, sums[1]->modules->len);
        fc_profile_free(sums[0]);
        fc_profile_free(sums[1]);
    }
}

/* A profile with two equal functions. */
static FcProfile *reloaded_new(guint32 seed)
{
    FcProfile *profile = fixture_profile_new(seed, 11);
    FcProfileFunction *functions = &g_array_index(profile->functions, FcProfileFunction, 0);
    if (profile->functions->len > 2)
        functions[2].location = functions[1].location;
    return profile;
}

/* Records are found by their order in the sum where that has no two equal ones, else by a table. */
static void test_found(void)
{
    guint distinct = 0;
    for (guint32 seed = 1; seed < 40; seed++)
    {
        g_autoptr(FcProfile) by_order = reloaded_new(seed);
        g_autoptr(FcProfile) by_table = reloaded_new(seed);
        for (guint i = 0; i < 6; i++)
        {
            g_autoptr(FcProfile) one = reloaded_new(seed + i % 2 * 1000);
            by_table->distinct = 0;
            fc_profile_merge(by_order, one);
            fc_profile_merge(by_table, one);
        }
        if (by_order->functions->len > 2) /* figures are added to the first of equal ones */
        {
            g_autoptr(FcProfile) begun = reloaded_new(seed);
            g_assert_cmpuint(function_at(by_order, 2)->calls, ==, function_at(begun, 2)->calls);
        }
        distinct |= by_order->distinct;
        g_autoptr(GString) a = fc_profile_format(by_order);
        g_autoptr(GString) b = fc_profile_format(by_table);
        g_assert_cmpstr(a->str, ==, b->str);
    }
    g_assert_cmpuint(distinct, !=, 0);
}

static void test_find_module(void)
{
    g_autoptr(FcProfile) profile = fixture_plain_new();
    const FcProfileModule later[] = {
        {g_strdup("/lib/a.so"), NULL, 0x4000, 0x5000, 0x6000, 100, 200},
        {g_strdup("/lib/b.so"), NULL, 0x5000, 0x5000, 0x6000, 300, G_MAXUINT64},
    };
    g_array_append_vals(profile->modules, later, 2);
    g_assert_cmpint(fc_profile_find_module(profile, 0xfff, 0), ==, FC_NONE);
    g_assert_cmpint(fc_profile_find_module(profile, 0x1000, 0), ==, 0);
    g_assert_cmpint(fc_profile_find_module(profile, 0x1fff, 9), ==, 0);
    g_assert_cmpint(fc_profile_find_module(profile, 0x2000, 9), ==, 1);
    g_assert_cmpint(fc_profile_find_module(profile, 0x5800, 100), ==, 2);
    g_assert_cmpint(fc_profile_find_module(profile, 0x5800, 199), ==, 2);
    g_assert_cmpint(fc_profile_find_module(profile, 0x5800, 300), ==, 3);
    /* Before its announcement, and between the two: the nearest. */
    g_assert_cmpint(fc_profile_find_module(profile, 0x5800, 90), ==, 2);
    g_assert_cmpint(fc_profile_find_module(profile, 0x5800, 290), ==, 3);
    FcProfileLocation place;
    fc_profile_locate(profile, 0x5800, 150, &place);
    g_assert_cmpint(place.module, ==, 2);
    g_assert_cmphex(place.offset, ==, 0x1800);
    fc_profile_locate(profile, 0x7000, 150, &place);
    g_assert_cmpint(place.module, ==, FC_NONE);
    g_assert_cmphex(place.offset, ==, 0x7000);
}

/* A profile of one thread with these buckets of `width` ns: off the CPU, half of it preempted. */
static FcProfile *lanes_new(guint64 width_ns, const guint64 *off, guint count)
{
    FcProfile *profile = fc_profile_new();
    FcProfileThread thread = {.tid = 7,
                              .end_ns = 128 * width_ns,
                              .functions = fc_profile_new_thread_functions(),
                              .stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame)),
                              .lane_ns = width_ns,
                              .lanes = g_array_new(FALSE, TRUE, sizeof(FcProfileLane))};
    profile->unique_id = g_strdup("one");
    for (guint i = 0; i < count; i++)
    {
        const FcProfileLane lane = {i, off[i], off[i] / 2};
        g_array_append_val(thread.lanes, lane);
    }
    g_array_append_val(profile->threads, thread);
    return profile;
}

static void assert_lanes(const FcProfile *profile, guint at, const guint64 *off, guint count)
{
    const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, at);
    g_assert_cmpuint(thread->lanes->len, ==, count);
    for (guint i = 0; i < count; i++)
    {
        const FcProfileLane *lane = &g_array_index(thread->lanes, FcProfileLane, i);
        g_assert_cmpuint(lane->bucket, ==, i);
        g_assert_cmpuint(lane->wait_ns, ==, off[i]);
        g_assert_cmpuint(lane->preempted_ns, ==, off[i] / 2);
    }
}

/* A sum has each thread's lanes, one thread for all of them none; a difference has what is new. */
static void test_lanes(void)
{
    const guint64 before[] = {40, 20, 60, 10};
    const guint64 after[] = {60, 90, 8}; /* the first two are those before, and 20 more */
    const guint64 between[] = {0, 20, 8};
    g_autoptr(FcProfile) earlier = lanes_new(999, before, G_N_ELEMENTS(before));
    g_autoptr(FcProfile) later = lanes_new(1999, after, G_N_ELEMENTS(after));
    g_autoptr(FcProfile) sum = fc_profile_new();
    fc_profile_merge(sum, earlier);
    fc_profile_merge(sum, later);
    g_assert_cmpuint(sum->threads->len, ==, 2);
    assert_lanes(sum, 0, before, G_N_ELEMENTS(before));
    assert_lanes(sum, 1, after, G_N_ELEMENTS(after));
    g_assert_cmpuint(g_array_index(sum->threads, FcProfileThread, 1).lane_ns, ==, 1999);
    fc_profile_fold_threads(sum);
    g_assert_cmpuint(g_array_index(sum->threads, FcProfileThread, 0).lane_ns, ==, 0);
    g_assert_null(g_array_index(sum->threads, FcProfileThread, 0).lanes);
    g_assert_true(fc_profile_subtract(later, earlier, NULL));
    assert_lanes(later, 0, between, G_N_ELEMENTS(between));
}

static FcProfile *waiting_new(guint64 lock_ns, guint64 sleep_ns)
{
    FcProfile *profile = fixture_plain_new();
    const FcProfileWaitSite sites[] = {
        {.function = 0, .site = {0x1010, 0x10, 0}, .kind_ns[FC_WAIT_SLEEP] = 7},
        {.function = 1, .site = {0x1020, 0x20, 0}, .kind_ns[FC_WAIT_LOCK] = lock_ns},
        {.function = 1, .site = {0x1030, 0x30, 0}, .kind_ns[FC_WAIT_SLEEP] = sleep_ns}};
    for (guint i = 0; i < G_N_ELEMENTS(sites); i++)
        if (sites[i].kind_ns[FC_WAIT_LOCK] + sites[i].kind_ns[FC_WAIT_SLEEP] > 0)
            g_array_append_val(profile->wait_sites, sites[i]);
    return profile;
}

static const FcProfileWaitSite *wait_site_at(const FcProfile *profile, guint index)
{
    return &g_array_index(profile->wait_sites, FcProfileWaitSite, index);
}

/* Waits are of a function and a call site; what is the same in both is in no difference. */
static void test_wait_sites(void)
{
    g_autoptr(FcProfile) earlier = waiting_new(10, 0);
    g_autoptr(FcProfile) later = waiting_new(30, 5);
    g_autoptr(FcProfile) sum = fc_profile_new();
    fc_profile_merge(sum, earlier);
    fc_profile_merge(sum, later);
    g_assert_cmpuint(sum->wait_sites->len, ==, 3);
    g_assert_cmpuint(wait_site_at(sum, 0)->kind_ns[FC_WAIT_SLEEP], ==, 14);
    g_assert_cmpuint(wait_site_at(sum, 1)->kind_ns[FC_WAIT_LOCK], ==, 40);
    g_assert_cmpuint(wait_site_at(sum, 2)->kind_ns[FC_WAIT_SLEEP], ==, 5);
    g_assert_true(fc_profile_subtract(later, earlier, NULL));
    g_assert_cmpuint(later->wait_sites->len, ==, 2);
    for (guint i = 0; i < 2; i++)
    {
        const FcProfileWaitSite *site = wait_site_at(later, i);
        g_assert_cmphex(function_at(later, site->function)->location.offset, ==,
                        function_at(earlier, 1)->location.offset);
        g_assert_cmphex(site->site.offset, ==, i == 0 ? 0x20 : 0x30);
    }
    g_assert_cmpuint(wait_site_at(later, 0)->kind_ns[FC_WAIT_LOCK], ==, 20);
    g_assert_cmpuint(wait_site_at(later, 1)->kind_ns[FC_WAIT_SLEEP], ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/merge/cpu-extremes", test_cpu_extremes);
    g_test_add_func("/profile/merge/into-empty", test_into_empty);
    g_test_add_func("/profile/merge/moved", test_moved);
    g_test_add_func("/profile/merge/ranks", test_ranks);
    g_test_add_func("/profile/merge/groups", test_groups);
    g_test_add_func("/profile/merge/spread", test_spread);
    g_test_add_func("/profile/squares", test_squares);
    g_test_add_func("/profile/unused-modules", test_unused_modules);
    g_test_add_func("/profile/merge/rebuilt", test_rebuilt);
    g_test_add_func("/profile/merge/extremes", test_extremes);
    g_test_add_func("/profile/merge/zero-minimum", test_zero_minimum);
    g_test_add_func("/profile/merge/reloaded", test_reloaded);
    g_test_add_func("/profile/merge/threads-and-notes", test_threads_and_notes);
    g_test_add_func("/profile/merge/lanes", test_lanes);
    g_test_add_func("/profile/merge/wait-sites", test_wait_sites);
    g_test_add_func("/profile/merge/order", test_order);
    g_test_add_func("/profile/merge/found", test_found);
    g_test_add_func("/profile/find-module", test_find_module);
    return g_test_run();
}
