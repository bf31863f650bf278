/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See profile_fixture.h.
 */
#include "profile_fixture.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- Random profiles ----------------------------------------------------------- */

static guint64 random_number(GRand *rand)
{
    const guint64 bits = (guint64)g_rand_int(rand) << 32 | g_rand_int(rand);
    switch (g_rand_int_range(rand, 0, 8))
    {
    case 0:
        return 0;
    case 1:
        return G_MAXUINT64;
    default:
        return bits >> g_rand_int_range(rand, 0, 64);
    }
}

static char *random_string(GRand *rand, gboolean may_be_null)
{
    static const char *const awkward[] = {
        "",
        "-",
        "\\",
        "\\e",
        "\\055",
        " ",
        "a b",
        " a",
        "b ",
        "\n",
        "\t\r\v\f",
        "line\nline\n",
        "\x7f",
        "\xff\xfe",
        "caf\xc3\xa9",
        "\xc3",
        "-x",
        "section end 1 0",
        "\"",
        "(nil)",
        "\x01\x02",
        "/usr/lib/a.so",
        "\\101",
        "/tmp/a\\040b",
    };
    const gint choice = g_rand_int_range(rand, 0, (gint)G_N_ELEMENTS(awkward) * 2 + 2);
    if (choice < (gint)G_N_ELEMENTS(awkward))
        return g_strdup(awkward[choice]);
    if (choice < (gint)G_N_ELEMENTS(awkward) + 2 && may_be_null)
        return NULL;
    const gint bytes = g_rand_int_range(rand, 1, 40);
    char *string = g_malloc0((gsize)bytes + 1);
    for (gint i = 0; i < bytes; i++)
        string[i] = (char)g_rand_int_range(rand, 1, 256);
    return string;
}

static void random_modules(GRand *rand, FcProfile *profile, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        const FcProfileModule module = {
            .path = random_string(rand, FALSE),
            .build_id = g_rand_boolean(rand) ? g_strdup_printf("%08x", g_rand_int(rand)) : NULL,
            .base = random_number(rand),
            .start = random_number(rand),
            .end = random_number(rand),
            .load_ns = random_number(rand),
            .unload_ns = random_number(rand),
        };
        g_array_append_val(profile->modules, module);
    }
}

static FcProfileLocation random_place(GRand *rand, const FcProfile *profile)
{
    const gint module = g_rand_int_range(rand, FC_NONE, (gint)profile->modules->len);
    const guint64 address = random_number(rand);
    const guint64 base =
        module == FC_NONE ? 0 : g_array_index(profile->modules, FcProfileModule, module).base;
    return (FcProfileLocation){address, address - base, module};
}

static guint random_function(GRand *rand, const FcProfile *profile)
{
    return (guint)g_rand_int_range(rand, 0, (gint)profile->functions->len);
}

static FcProfileOff *random_off(GRand *rand)
{
    FcProfileOff *off = g_new0(FcProfileOff, 1);
    off->preempted_ns = random_number(rand);
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        off->kind_ns[kind] = random_number(rand);
    return off;
}

static void random_functions(GRand *rand, FcProfile *profile, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        FcProfileFunction function = {
            .location = random_place(rand, profile),
            .calls = random_number(rand),
            .times.total_ns = random_number(rand),
            .times.local_ns = random_number(rand),
            .bounds.total_min_ns = random_number(rand),
            .bounds.total_max_ns = random_number(rand),
            .bounds.local_min_ns = random_number(rand),
            .bounds.local_max_ns = random_number(rand),
        };
        guint64 buckets[FC_HISTOGRAM_BUCKETS];
        for (guint j = 0; j < FC_HISTOGRAM_BUCKETS; j++)
            buckets[j] = g_rand_int_range(rand, 0, 3) == 0 ? random_number(rand) : 0;
        function.histogram = fc_histogram_of(buckets, FC_HISTOGRAM_BUCKETS);
        function.times.total_cost_ns = i % 4 == 0 ? random_number(rand) : 0;
        function.times.local_cost_ns = i % 4 == 2 ? random_number(rand) : 0;
        function.times.total_wait_ns = i % 5 == 0 ? random_number(rand) : 0;
        function.times.local_wait_ns = i % 5 == 2 ? random_number(rand) : 0;
        if (i % 5 == 3)
            function.off = random_off(rand);
        function.has_cpu_bounds = i % 5 == 1;
        function.uncounted = i % 7 == 2;
        if (function.has_cpu_bounds)
            function.cpu = (FcProfileBounds){random_number(rand), random_number(rand),
                                             random_number(rand), random_number(rand)};
        if (i % 3 == 1)
        {
            function.counted = random_number(rand) | 1;
            function.timed = random_number(rand);
            function.total_error_ns = random_number(rand);
            function.local_error_ns = random_number(rand);
        }
        g_array_append_val(profile->functions, function);
    }
}

static void random_arcs(GRand *rand, FcProfile *profile, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        FcProfileArc arc = {
            .caller = g_rand_int_range(rand, FC_NONE, (gint)profile->functions->len),
            .callee = random_function(rand, profile),
            .site = random_place(rand, profile),
            .calls = random_number(rand) >> 8,
            .times.total_ns = random_number(rand),
            .times.total_cost_ns = i % 3 == 1 ? random_number(rand) : 0,
            .times.total_wait_ns = i % 4 == 1 ? random_number(rand) : 0,
            .apportioned = i % 5 == 2,
        };
        /* Some share their call site and callee, as arcs of several callers do. */
        if (i > 0 && g_rand_boolean(rand))
        {
            const FcProfileArc *last = &g_array_index(profile->arcs, FcProfileArc, i - 1);
            arc.site = last->site;
            arc.callee = last->callee;
        }
        const guint first = g_rand_int_range(rand, 0, FC_LATENCY_BUCKETS - 40);
        for (guint bucket = first; i % 3 != 0 && bucket < first + 40; bucket += 1 + bucket % 13)
        {
            const FcProfileLatency latency = {i, bucket, 1 + (random_number(rand) >> 8)};
            g_array_append_val(profile->latencies, latency);
        }
        g_array_append_val(profile->arcs, arc);

        const FcProfileContext context = {
            .parent = g_rand_int_range(rand, FC_NONE, (gint)i),
            .function = random_function(rand, profile),
            .site = random_place(rand, profile),
            .calls = random_number(rand),
            .times.total_ns = random_number(rand),
            .times.local_ns = random_number(rand),
            .times.total_cost_ns = i % 3 == 0 ? random_number(rand) : 0,
            .times.local_cost_ns = i % 5 == 0 ? random_number(rand) : 0,
            .times.total_wait_ns = i % 4 == 3 ? random_number(rand) : 0,
            .times.local_wait_ns = i % 5 == 3 ? random_number(rand) : 0,
            .apportioned = i % 4 == 1,
        };
        g_array_append_val(profile->contexts, context);
    }
}

/* `how`: 0, there is no trace; 1, an empty one. */
static void random_trace(GRand *rand, const FcProfile *profile, FcProfileThread *thread, guint how)
{
    if (how == 0)
        return;
    thread->trace_all = random_number(rand);
    thread->trace = g_array_new(FALSE, TRUE, sizeof(FcProfileTraceRecord));
    guint64 time_ns = random_number(rand) >> 2;
    for (gint i = how == 1 ? 0 : 12; i > 0; i--)
    {
        time_ns += (guint64)g_rand_int_range(rand, 0, 3);
        const FcProfileTraceRecord record = {
            .kind = (FcTraceKind)g_rand_int_range(rand, FC_TRACE_CALL, FC_TRACE_KINDS),
            .function = random_function(rand, profile),
            .stack = (guint)g_rand_int_range(rand, 0, 3),
            .depth = (guint)g_rand_int_range(rand, 1, 5),
            .time_ns = time_ns,
            .begun_ns = i % 3 == 0 ? FC_TRACE_UNKNOWN : time_ns - time_ns / 3};
        g_array_append_val(thread->trace, record);
    }
}

static void random_lanes(GRand *rand, FcProfileThread *thread)
{
    thread->lane_start_ns = random_number(rand);
    thread->lane_ns = random_number(rand) | 1;
    thread->lanes = g_array_new(FALSE, TRUE, sizeof(FcProfileLane));
    for (guint i = 0; i < FC_LANE_BUCKETS; i += (guint)g_rand_int_range(rand, 1, 60))
    {
        const guint64 wait_ns = random_number(rand);
        const FcProfileLane lane = {i, wait_ns, wait_ns / 3};
        g_array_append_val(thread->lanes, lane);
    }
}

static void random_threads(GRand *rand, FcProfile *profile, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        FcProfileThread thread = {
            .tid = (gint64)random_number(rand),
            .name = random_string(rand, TRUE),
            .start_ns = random_number(rand),
            .end_ns = random_number(rand),
            .run_ns = random_number(rand),
            .calls = random_number(rand),
            .ended = g_rand_boolean(rand),
            .waits = (FcWaits)g_rand_int_range(rand, FC_WAITS_UNKNOWN, FC_WAITS_COUNT),
            .manager_ns = i % 2 == 0 ? random_number(rand) : 0,
            .functions = fc_profile_new_thread_functions(),
            .stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame)),
        };
        thread.wait_ns = thread.waits != FC_WAITS_UNKNOWN ? random_number(rand) : 0;
        thread.preempted_ns = thread.wait_ns / 2;
        /* The only thread's are not left out: a reader may take all of the profile's for them. */
        for (gint j = g_rand_int_range(rand, count == 1 ? 1 : 0, 6); j > 0; j--)
        {
            const FcProfileThreadFunction function = {
                random_function(rand, profile), random_number(rand),
                .times = {random_number(rand), random_number(rand), random_number(rand),
                          random_number(rand)},
                .off = j % 2 == 0 ? random_off(rand) : NULL};
            const FcProfileFrame frame = {random_function(rand, profile),
                                          random_place(rand, profile)};
            g_array_append_val(thread.functions, function);
            g_array_append_val(thread.stack, frame);
        }
        for (guint j = 0; i % 2 == 0 && j < profile->arcs->len; j += 1 + i)
        {
            if (!thread.arcs)
                thread.arcs = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadArc));
            const FcProfileThreadArc arc = {j, random_number(rand),
                                            .times = {.total_ns = random_number(rand),
                                                      .total_cost_ns = random_number(rand),
                                                      .total_wait_ns = random_number(rand)}};
            g_array_append_val(thread.arcs, arc);
        }
        random_trace(rand, profile, &thread, i % 3);
        if (i % 2 == 0)
            random_lanes(rand, &thread);
        g_array_append_val(profile->threads, thread);
    }
}

static void random_blocks(GRand *rand, GArray *blocks, gboolean are_leaks)
{
    for (gint i = g_rand_int_range(rand, 0, 5); i > 0; i--)
    {
        FcProfileBlock block = {
            .pointer = random_number(rand),
            .site = random_number(rand),
            .stack = g_array_new(FALSE, FALSE, sizeof(guint64)),
        };
        if (are_leaks)
        {
            block.size_bytes = random_number(rand) >> 33;
            block.realloc_site = random_number(rand);
        }
        for (gint j = g_rand_int_range(rand, 0, 5); j > 0; j--)
        {
            const guint64 site = random_number(rand) | 1;
            g_array_append_val(block.stack, site);
        }
        g_array_append_val(blocks, block);
    }
}

static FcProfileHeapPoint random_point(GRand *rand, const FcProfile *profile)
{
    return (FcProfileHeapPoint){g_rand_int_range(rand, FC_NONE, (gint)profile->contexts->len),
                                random_place(rand, profile), (guint)g_rand_int_range(rand, 1, 256),
                                g_rand_int_range(rand, FC_NONE, (gint)profile->heap.frames->len)};
}

static void random_frames(GRand *rand, const FcProfile *profile, GArray *frames)
{
    for (gint i = 0, count = g_rand_int_range(rand, 0, 5); i < count; i++)
    {
        const FcProfileHeapFrame frame = {g_rand_int_range(rand, FC_NONE, i),
                                          random_place(rand, profile)};
        g_array_append_val(frames, frame);
    }
}

static void random_heap_blocks(GRand *rand, FcProfileHeap *heap)
{
    for (guint i = 0; i < heap->alloc_sites->len; i++)
    {
        const FcProfileHeapBlock block = {
            random_number(rand), random_number(rand), random_number(rand),
            (guint)g_rand_int_range(rand, 0, (gint)heap->alloc_sites->len),
            (FcProfileBlockState)g_rand_int_range(rand, 0, FC_BLOCK_REACHABLE + 1)};
        g_array_append_val(heap->blocks, block);
    }
}

static void random_heap(GRand *rand, const FcProfile *profile, FcProfileHeap *heap)
{
    guint64 *const totals[] = {
        &heap->allocations,     &heap->frees,          &heap->bytes,       &heap->live_blocks,
        &heap->live_bytes,      &heap->peak_bytes,     &heap->peak_ns,     &heap->maps,
        &heap->map_bytes,       &heap->unmaps,         &heap->unmap_bytes, &heap->scanned,
        &heap->unlisted.blocks, &heap->unlisted.bytes,
    };
    heap->recorded = TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(totals); i++)
        *totals[i] = random_number(rand);
    random_frames(rand, profile, heap->frames);
    for (gint i = g_rand_int_range(rand, 0, 6); i > 0; i--)
    {
        FcProfileAllocSite site = {
            random_point(rand, profile), random_number(rand),
            random_number(rand),         random_number(rand),
            random_number(rand),         random_number(rand),
            random_number(rand),         random_number(rand),
            random_number(rand),         random_number(rand),
            random_number(rand),         random_number(rand),
            random_number(rand),         {0},
        };
        for (guint j = 0; j < FC_SIZE_BUCKETS; j++)
            site.sizes[j] = g_rand_int_range(rand, 0, 3) == 0 ? random_number(rand) : 0;
        g_array_append_val(heap->alloc_sites, site);
        const FcProfileBadFree bad = {
            (FcProfileBadKind)g_rand_int_range(rand, FC_BAD_UNKNOWN, FC_BAD_MISMATCH + 1),
            random_number(rand),
            random_number(rand),
            random_number(rand),
            random_number(rand),
            random_point(rand, profile),
            random_point(rand, profile),
            random_point(rand, profile),
        };
        g_array_append_val(heap->bad_frees, bad);
        const FcProfileHeapSample sample = {random_number(rand), random_number(rand)};
        g_array_append_val(heap->samples, sample);
    }
    random_heap_blocks(rand, heap);
}

static void random_head(GRand *rand, FcProfile *profile)
{
    profile->unique_id = random_string(rand, TRUE);
    profile->time_mode = g_rand_int_range(rand, 1, 5);
    profile->profile_mode = g_rand_int_range(rand, 1, 4);
    profile->pid = (gint64)random_number(rand);
    profile->ppid = (gint64)random_number(rand);
    profile->run_ns = random_number(rand);
    profile->processes = g_rand_boolean(rand) ? random_number(rand) : 0;
    profile->failed = profile->processes > 0 ? random_number(rand) : 0;
    profile->samples = g_rand_boolean(rand) ? random_number(rand) : 0;
    profile->executed = g_rand_boolean(rand) ? random_number(rand) : 0;
    profile->unsampled_ns = g_rand_boolean(rand) ? random_number(rand) : 0;
    profile->executed_by_timer = g_rand_boolean(rand) ? random_number(rand) : 0;
    profile->ticks_per_second = g_rand_double_range(rand, 0, 4e9);
    for (guint i = 0; i < FC_PROFILE_COSTS && profile->pid % 2 == 0; i++)
        profile->costs_ps[i] = random_number(rand);
    profile->start_realtime_ns = (gint64)random_number(rand);
    profile->end_realtime_ns = (gint64)random_number(rand);
    if (g_rand_boolean(rand))
        profile->machine = (FcProfileMachine){.processors = 1 + random_number(rand) / 2,
                                              .booted_s = random_number(rand),
                                              .used_before_ns = random_number(rand),
                                              .used_after_ns = random_number(rand),
                                              .own_ns = random_number(rand)};
    profile->executable = random_string(rand, TRUE);
    profile->directory = random_string(rand, TRUE);
    profile->depth = profile->pid % 2 == 0 ? 7 : 0;
    profile->filter = profile->pid % 3 == 0 ? g_strdup("skip:a b; \\x\xff") : NULL;
    if (profile->pid % 2 == 0)
        profile->job = (FcProfileJob){.rank = g_rand_int_range(rand, 0, 100),
                                      .local_rank = g_rand_int_range(rand, -1, 4),
                                      .size = g_rand_boolean(rand) ? 100 : 0,
                                      .name = random_string(rand, TRUE),
                                      .launcher = random_string(rand, TRUE),
                                      .host = random_string(rand, TRUE),
                                      .cpus = random_string(rand, TRUE)};
    if (g_rand_boolean(rand))
    {
        g_autoptr(GPtrArray) arguments = g_ptr_array_new();
        for (gint i = g_rand_int_range(rand, 0, 5); i > 0; i--)
            g_ptr_array_add(arguments, random_string(rand, FALSE));
        g_ptr_array_add(arguments, NULL);
        profile->command_line = (GStrv)g_ptr_array_steal(arguments, NULL);
    }
    profile->end = (FcProfileEnd)g_rand_int_range(rand, FC_END_UNKNOWN, FC_END_RUNNING + 1);
    profile->end_value = (gint)g_rand_int(rand);
    profile->thread_id = g_rand_boolean(rand) ? (gint64)random_number(rand) : 0;
}

static void random_notes(GRand *rand, FcProfile *profile)
{
    fc_profile_note(profile->repairs, "jump", random_number(rand));
    fc_profile_note(profile->repairs, "unknown-exit", random_number(rand));
    fc_profile_note(profile->losses, "lost-records", random_number(rand));
}

static void random_wait_sites(GRand *rand, FcProfile *profile, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        FcProfileWaitSite site = {.function = random_function(rand, profile),
                                  .site = random_place(rand, profile)};
        for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
            site.kind_ns[kind] = random_number(rand);
        g_array_append_val(profile->wait_sites, site);
    }
}

FcProfile *fixture_profile_new(guint32 seed, guint size)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    FcProfile *profile = fc_profile_new();
    random_head(rand, profile);
    random_modules(rand, profile, 1 + size / 4);
    random_functions(rand, profile, size);
    if (size > 0)
    {
        random_arcs(rand, profile, size * 3);
        random_threads(rand, profile, size / 3);
        random_wait_sites(rand, profile, size / 2);
        for (guint i = 0; i < size; i++)
        {
            const FcProfileSlowCall call = {random_function(rand, profile), (gint)i - 1,
                                            (gint64)(random_number(rand) >> 40),
                                            random_number(rand), random_number(rand)};
            g_array_append_val(profile->slowest, call);
        }
    }
    random_blocks(rand, profile->leaks, TRUE);
    random_blocks(rand, profile->bad_frees, FALSE);
    random_blocks(rand, profile->bad_reallocs, FALSE);
    random_notes(rand, profile);
    if (seed % 2 == 1)
    {
        random_heap(rand, profile, &profile->heap);
        profile->unlisted_leaks = (FcProfileSum){random_number(rand), random_number(rand)};
    }
    return profile;
}

/* ---- A plain one ----------------------------------------------------------------- */

#define BUCKETS(...)                                                                               \
    fc_histogram_of((const guint64[FC_HISTOGRAM_BUCKETS]){__VA_ARGS__}, FC_HISTOGRAM_BUCKETS)

FcProfile *fixture_plain_new(void)
{
    FcProfile *profile = fc_profile_new();
    profile->unique_id = g_strdup("one");
    profile->pid = 10;
    profile->ppid = 9;
    profile->run_ns = 5000;
    const FcProfileModule modules[] = {
        {g_strdup("/bin/app"), g_strdup("a1"), 0x1000, 0x1000, 0x2000, 0, G_MAXUINT64},
        {g_strdup("/lib/lib.so"), NULL, 0x2000, 0x2000, 0x3000, 0, G_MAXUINT64},
    };
    g_array_append_vals(profile->modules, modules, G_N_ELEMENTS(modules));
    const FcProfileFunction functions[] = {
        {{0x1100, 0x100, 0}, 1, {5000, 1000}, {5000, 5000, 1000, 1000}, BUCKETS([13] = 1)},
        {{0x1200, 0x200, 0}, 2, {4000, 3000}, {1000, 3000, 500, 2500}, BUCKETS([10] = 1, [12] = 1)},
        {{0x2100, 0x100, 1}, 4, {1000, 1000}, {0, 600, 0, 600}, BUCKETS([0] = 3, [10] = 1)},
    };
    g_array_append_vals(profile->functions, functions, G_N_ELEMENTS(functions));
    const FcProfileArc arcs[] = {
        {FC_NONE, 0, {0x1010, 0x10, 0}, 1, {5000}},
        {0, 1, {0x1110, 0x110, 0}, 2, {4000}},
        {1, 2, {0x1210, 0x210, 0}, 4, {1000}},
    };
    g_array_append_vals(profile->arcs, arcs, G_N_ELEMENTS(arcs));
    const FcProfileContext contexts[] = {
        {FC_NONE, 0, {0x1010, 0x10, 0}, 1, {5000, 1000}},
        {0, 1, {0x1110, 0x110, 0}, 2, {4000, 3000}},
        {1, 2, {0x1210, 0x210, 0}, 4, {1000, 1000}},
    };
    g_array_append_vals(profile->contexts, contexts, G_N_ELEMENTS(contexts));
    return profile;
}

/* ---- Folders --------------------------------------------------------------------- */

char *fixture_folder_new(void)
{
    g_autoptr(GError) error = NULL;
    char *folder = g_dir_make_tmp("fc-profile-XXXXXX", &error);
    g_assert_no_error(error);
    g_assert_cmpint(g_chmod(folder, 0711), ==, 0);
    return folder;
}

void fixture_folder_remove(char *folder)
{
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names != NULL && (name = g_dir_read_name(names)) != NULL;)
    {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
            fixture_folder_remove(g_strdup(path));
        else
            g_unlink(path);
    }
    g_rmdir(folder);
    g_free(folder);
}

guint fixture_folder_count(const char *folder)
{
    guint count = 0;
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    g_assert_nonnull(names);
    while (g_dir_read_name(names) != NULL)
        count++;
    return count;
}
