/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the runs of a difference; see compare.h.
 */
#include "fcdump/compare.h"

#include "model/load.h"
#include "model/select.h"
#include "model/v3.h"

#include <string.h>

/* In per cent of all time.  Times of smaller functions are not tested, unless --min says so: nobody
 * would look at them, and each further test weakens the others. */
#define LEAST_PERCENT 0.1

typedef struct
{
    const FcOptions *options;
    FcLabels labels;
    const FcProgress *progress;
    GPtrArray *problems;
    GPtrArray *missing; /* patterns that matched nothing in any run so far; likewise the next */
    GPtrArray *warnings;
    GPtrArray *notes;
    GHashTable *taken; /* files of this side's runs */
    GHashTable *told;  /* problems reported already: runs may repeat them */
    guint runs;
} Comparer;

static void add_problems(Comparer *comparer, const GPtrArray *problems)
{
    for (guint i = 0; i < problems->len; i++)
        if (g_hash_table_add(comparer->told, g_strdup(problems->pdata[i])))
            g_ptr_array_add(comparer->problems, g_strdup(problems->pdata[i]));
}

/* Removes from `all` the patterns that matched in `run`: a pattern may match functions that only
 * some runs have.  The first run fills `all`. */
static void keep_common(GPtrArray *all, GPtrArray *run, gboolean is_first)
{
    for (guint i = 0; is_first && i < run->len; i++)
        g_ptr_array_add(all, g_strdup(run->pdata[i]));
    for (guint i = all->len; i-- > 0;)
        if (!g_ptr_array_find_with_equal_func(run, all->pdata[i], g_str_equal, NULL))
            g_ptr_array_remove_index(all, i);
}

FcTimePart fc_compare_time(const FcOptions *options)
{
    return options->has_time ? options->time : FC_TIME_PART_CPU;
}

/* `operands`: a profile and the images of its side; empty: the default profile. */
static void add_run(Comparer *comparer, FcDiff *diff, FcDiffSide side, const GPtrArray *operands)
{
    const FcOptions *options = comparer->options;
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    const FcLoad load = {.operands = (const char *const *)operands->pdata,
                         .images = (const char *const *)options->images->pdata,
                         .demangle = options->demangle,
                         .labels = comparer->labels,
                         .raw = options->raw,
                         .split = options->split,
                         .time = fc_compare_time(options),
                         .processes = options->processes,
                         .threads = options->threads,
                         .missing = missing,
                         .taken = comparer->taken,
                         .notes = comparer->notes,
                         .progress = comparer->progress};
    g_autoptr(FcModel) model = fc_model_load(&load, problems);
    if (model && model->of_threads)
        g_ptr_array_add(problems, g_strdup("--thread: " FC_MODEL_LACKS_CONTEXTS));
    add_problems(comparer, problems);
    const FcSelection selection = {.only = options->only,
                                   .except = options->except,
                                   .callees = options->propagate,
                                   .callers = options->rpropagate};
    if (!model && missing->len == 0)
        return;
    if (model)
        fc_select_apply(model, &selection, missing, warnings);
    const gboolean is_first = comparer->runs++ == 0;
    keep_common(comparer->missing, missing, is_first);
    keep_common(comparer->warnings, warnings, is_first);
    if (!model || model->of_threads)
        return;
    fc_diff_add_run(diff, side, model);
    add_problems(comparer, fc_symbols_warnings(model->symbols));
}

/* `operands` may be ended by NULL. */
static void add_side(Comparer *comparer, FcDiff *diff, FcDiffSide side, const GPtrArray *operands)
{
    g_autoptr(GPtrArray) images = g_ptr_array_new();
    g_autoptr(GPtrArray) profiles = g_ptr_array_new();
    g_autoptr(GHashTable) taken = fc_load_taken_new();
    comparer->taken = taken;
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

/* What is shown by context. */
static gboolean wants_contexts(const FcOptions *options)
{
    for (guint i = 0; options->table[i]; i++)
        if ((options->asked >> i & 1) != 0 && strcmp(options->table[i]->name, "tree") == 0)
            return TRUE;
    return options->files->len > 0 ||
           (options->export >= 0 && strcmp(options->table[options->export]->name, "folded") == 0);
}

FcDiff *fc_compare_one_side(const FcOptions *options, FcLabels labels, const FcProgress *progress)
{
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    FcDiff *diff = fc_diff_new(FALSE);
    Comparer comparer = {.options = options,
                         .labels = labels,
                         .progress = progress,
                         .problems = problems,
                         .missing = problems,
                         .warnings = problems,
                         .notes = problems,
                         .told = told};
    add_side(&comparer, diff, FC_DIFF_AFTER, options->operands);
    return diff;
}

FcDiff *fc_compare_runs(const FcOptions *options, FcLabels labels, const FcProgress *progress,
                        GPtrArray *problems, GPtrArray *missing, GPtrArray *warnings,
                        GPtrArray *notes)
{
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(FcDiff) diff = fc_diff_new(wants_contexts(options));
    Comparer comparer = {.options = options,
                         .labels = labels,
                         .progress = progress,
                         .problems = problems,
                         .missing = missing,
                         .warnings = warnings,
                         .notes = notes,
                         .told = told};
    add_side(&comparer, diff, FC_DIFF_BEFORE, options->baseline);
    add_side(&comparer, diff, FC_DIFF_AFTER, options->operands);
    if (diff->runs[FC_DIFF_BEFORE] == 0 || diff->runs[FC_DIFF_AFTER] == 0)
        return NULL;
    fc_diff_judge(diff, (options->has_min ? options->min_percent : LEAST_PERCENT) / 100);
    return g_steal_pointer(&diff);
}
