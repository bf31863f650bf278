/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the runs of a difference; see compare.h.
 */
#include "fcdump/compare.h"

#include "model/load.h"
#include "model/select.h"
#include "model/v3.h"

#include <string.h>

/* What takes a smaller part of the time, in per cent, is not told from noise by its time, unless
 * --min says otherwise: nobody would look at it, and each test more makes the others weaker. */
#define LEAST_PERCENT 0.1

typedef struct
{
    const FcOptions *options;
    const FcProgress *progress;
    GPtrArray *problems;
    GPtrArray *warnings;
    GHashTable *told;  /* the problems of symbols: the same ones in each run */
    GHashTable *unfit; /* char *: patterns that fit no function -> in how many runs */
    guint runs;
} Comparer;

static void add_problems(Comparer *comparer, const GPtrArray *problems)
{
    for (guint i = 0; i < problems->len; i++)
        if (g_hash_table_add(comparer->told, g_strdup(problems->pdata[i])))
            g_ptr_array_add(comparer->problems, g_strdup(problems->pdata[i]));
}

static void count_warnings(Comparer *comparer, const GPtrArray *warnings)
{
    for (guint i = 0; i < warnings->len; i++)
    {
        const guint count =
            GPOINTER_TO_UINT(g_hash_table_lookup(comparer->unfit, warnings->pdata[i]));
        g_hash_table_insert(comparer->unfit, g_strdup(warnings->pdata[i]),
                            GUINT_TO_POINTER(count + 1));
    }
    comparer->runs++;
}

/* `operands`: a profile and the images of its side; none: the profile that is read where none is
 * named. */
static void add_run(Comparer *comparer, FcDiff *diff, FcDiffSide side, const GPtrArray *operands)
{
    const FcOptions *options = comparer->options;
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    const FcLoad load = {.operands = (const char *const *)operands->pdata,
                         .images = (const char *const *)options->images->pdata,
                         .demangle = options->demangle,
                         .raw = options->raw,
                         .split = options->split,
                         .time = options->has_time ? options->time : FC_TIME_PART_WALL,
                         .processes = options->processes,
                         .threads = options->threads,
                         .progress = comparer->progress};
    g_autoptr(FcModel) model = fc_model_load(&load, problems);
    if (model && model->of_threads)
        g_ptr_array_add(problems, g_strdup("--thread: " FC_MODEL_LACKS_CONTEXTS));
    add_problems(comparer, problems);
    if (!model || model->of_threads)
        return;
    const FcSelection selection = {.only = options->only,
                                   .except = options->except,
                                   .callees = options->propagate,
                                   .callers = options->rpropagate};
    fc_select_apply(model, &selection, warnings);
    count_warnings(comparer, warnings);
    fc_diff_add_run(diff, side, model);
    add_problems(comparer, fc_symbols_warnings(model->symbols));
}

/* `operands` may be ended by NULL. */
static void add_side(Comparer *comparer, FcDiff *diff, FcDiffSide side, const GPtrArray *operands)
{
    g_autoptr(GPtrArray) images = g_ptr_array_new();
    g_autoptr(GPtrArray) profiles = g_ptr_array_new();
    for (guint i = 0; i < operands->len && operands->pdata[i]; i++)
        g_ptr_array_add(fc_v3_is_elf(operands->pdata[i]) ? images : profiles, operands->pdata[i]);
    for (guint i = 0; i < MAX(profiles->len, 1); i++)
    {
        g_autoptr(GPtrArray) run = g_ptr_array_new();
        if (i < profiles->len)
            g_ptr_array_add(run, profiles->pdata[i]);
        for (guint image = 0; image < images->len; image++)
            g_ptr_array_add(run, images->pdata[image]);
        g_ptr_array_add(run, NULL);
        add_run(comparer, diff, side, run);
    }
}

/* A pattern may fit what is only there before, or only after. */
static void add_unfit(Comparer *comparer)
{
    GHashTableIter iter;
    gpointer text;
    gpointer count;
    g_hash_table_iter_init(&iter, comparer->unfit);
    while (g_hash_table_iter_next(&iter, &text, &count))
        if (GPOINTER_TO_UINT(count) == comparer->runs)
            g_ptr_array_add(comparer->warnings, g_strdup(text));
}

/* What is shown by context. */
static gboolean wants_contexts(const FcOptions *options)
{
    for (guint i = 0; options->table[i].name; i++)
        if ((options->asked >> i & 1) != 0 && strcmp(options->table[i].name, "tree") == 0)
            return TRUE;
    return options->files->len > 0 ||
           (options->export >= 0 && strcmp(options->table[options->export].name, "folded") == 0);
}

FcDiff *fc_compare_runs(const FcOptions *options, const FcProgress *progress, GPtrArray *problems,
                        GPtrArray *warnings)
{
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) unfit = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(FcDiff) diff = fc_diff_new(wants_contexts(options));
    Comparer comparer = {.options = options,
                         .progress = progress,
                         .problems = problems,
                         .warnings = warnings,
                         .told = told,
                         .unfit = unfit};
    add_side(&comparer, diff, FC_DIFF_BEFORE, options->baseline);
    add_side(&comparer, diff, FC_DIFF_AFTER, options->operands);
    add_unfit(&comparer);
    if (diff->runs[FC_DIFF_BEFORE] == 0 || diff->runs[FC_DIFF_AFTER] == 0)
        return NULL;
    fc_diff_judge(diff, (options->has_min ? options->min_percent : LEAST_PERCENT) / 100);
    return g_steal_pointer(&diff);
}
