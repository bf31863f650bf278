/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds up the runs of a difference; see diff.h.
 */
#include "model/diff.h"

#include "model/context-key.h"

#include <string.h>

static const struct
{
    const char *name;
    gboolean is_time;
} metrics[FC_DIFF_METRICS] = {
    [FC_DIFF_CALLS] = {"calls", FALSE}, [FC_DIFF_TOTAL] = {"total", TRUE},
    [FC_DIFF_LOCAL] = {"local", TRUE},  [FC_DIFF_PER_CALL] = {"per-call", TRUE},
    [FC_DIFF_BYTES] = {"bytes", FALSE},
};

const char *fc_diff_metric_name(FcDiffMetric metric)
{
    return metrics[metric].name;
}

gboolean fc_diff_is_time(FcDiffMetric metric)
{
    return metrics[metric].is_time;
}

static void clear_function(gpointer data)
{
    FcDiffFunction *function = data;
    g_free(function->name);
    g_free(function->raw_name);
    g_free(function->module);
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
        g_free(function->files[side]);
}

FcDiff *fc_diff_new(gboolean with_contexts)
{
    FcDiff *diff = g_new0(FcDiff, 1);
    diff->functions = g_array_new(FALSE, TRUE, sizeof(FcDiffFunction));
    g_array_set_clear_func(diff->functions, clear_function);
    diff->known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    diff->memory = TRUE;
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
        diff->locals[side] = g_array_new(FALSE, FALSE, sizeof(guint64));
    if (with_contexts)
    {
        const FcDiffContext root = {.parent = FC_NONE, .function = FC_NONE};
        diff->contexts = g_array_new(FALSE, TRUE, sizeof(FcDiffContext));
        diff->known_contexts =
            g_hash_table_new_full(fc_context_key_hash, fc_context_key_equal, g_free, NULL);
        g_array_append_val(diff->contexts, root);
    }
    return diff;
}

void fc_diff_free(FcDiff *diff)
{
    if (!diff)
        return;
    g_array_unref(diff->functions);
    g_hash_table_unref(diff->known);
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
        g_array_unref(diff->locals[side]);
    if (diff->contexts)
        g_array_unref(diff->contexts);
    if (diff->known_contexts)
        g_hash_table_unref(diff->known_contexts);
    g_free(diff->no_memory);
    g_free(diff);
}

static const char *name_context(const FcDiff *diff, const FcDiffContext *context, gboolean label)
{
    switch (context->function)
    {
    case FC_NONE:
        return "all";
    case FC_STACK_OUTSIDE:
        return "<outside>";
    case FC_STACK_FOLDED:
        return FC_MODEL_FOLDED;
    default:
        return label ? fc_diff_function(diff, (guint)context->function)->label
                     : fc_diff_function(diff, (guint)context->function)->name;
    }
}

const char *fc_diff_context_name(const FcDiff *diff, const FcDiffContext *context)
{
    return name_context(diff, context, FALSE);
}

const char *fc_diff_context_label(const FcDiff *diff, const FcDiffContext *context)
{
    return name_context(diff, context, TRUE);
}

/* ---- Functions ----------------------------------------------------------------------- */

/* The figures of a function or a context in one run. */
typedef double Sample[FC_DIFF_METRICS];

/* Adds the sample of the next run on that side to figures that have `*filled` runs. */
static void add_sample(const FcDiff *diff, FcDiffSide side, FcDiffFigure *figures, guint *filled,
                       const double *sample)
{
    for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
    {
        fc_moments_fill(&figures[metric][side], *filled, diff->runs[side]);
        fc_moments_add(&figures[metric][side], diff->runs[side], sample[metric]);
    }
    *filled = diff->runs[side] + 1;
}

static double square(double x)
{
    return x * x;
}

/* Adds the figures of the model's functions to `samples` and `variances`, which are by function of
 * the difference. */
static void take_functions(const FcModel *model, const guint *row_of, Sample *samples,
                           Sample *variances)
{
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        double *sample = samples[row_of[i]];
        sample[FC_DIFF_CALLS] += (double)figures->calls;
        sample[FC_DIFF_TOTAL] += (double)figures->times.total_ns;
        sample[FC_DIFF_LOCAL] += (double)figures->times.local_ns;
        variances[row_of[i]][FC_DIFF_TOTAL] += square((double)figures->total_error_ns);
        variances[row_of[i]][FC_DIFF_LOCAL] += square((double)figures->local_error_ns);
    }
    const GArray *sites = model->profile->heap.alloc_sites;
    for (guint i = 0; i < sites->len; i++)
    {
        const FcProfileAllocSite *site = &g_array_index(sites, FcProfileAllocSite, i);
        if (site->point.context == FC_NONE)
            continue;
        const guint function =
            g_array_index(model->profile->contexts, FcProfileContext, site->point.context).function;
        samples[row_of[model->function_of[function]]][FC_DIFF_BYTES] += (double)site->bytes;
    }
}

/* Sets the time per call and its variance, from those of all calls. */
static void complete_sample(double *sample, double *variance)
{
    const double calls = sample[FC_DIFF_CALLS];
    if (calls <= 0)
        return;
    sample[FC_DIFF_PER_CALL] = sample[FC_DIFF_TOTAL] / calls;
    variance[FC_DIFF_PER_CALL] = variance[FC_DIFF_TOTAL] / square(calls);
}

/* Takes labels and names from the runs after the change, if these have the function.  A function is
 * shown if it is shown in any run. */
static void take_names(FcDiff *diff, FcDiffSide side, const FcModel *model, const guint *row_of)
{
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *from = fc_model_function(model, i);
        FcDiffFunction *function = &g_array_index(diff->functions, FcDiffFunction, row_of[i]);
        function->shown = function->shown || from->shown;
        if (side == FC_DIFF_AFTER)
            function->label = g_intern_string(from->label);
        if (side == FC_DIFF_AFTER && strcmp(function->name, from->name) != 0)
        {
            g_free(function->name);
            function->name = g_strdup(from->name);
        }
    }
}

/* `row_of` gets, by function of the model, the function of the difference. */
static void add_functions(FcDiff *diff, FcDiffSide side, const FcModel *model, guint *row_of)
{
    fc_diff_match(diff, side, model, row_of);
    take_names(diff, side, model, row_of);
    g_autofree Sample *samples = g_new0(Sample, diff->functions->len + 1);
    g_autofree Sample *variances = g_new0(Sample, diff->functions->len + 1);
    take_functions(model, row_of, samples, variances);
    for (guint i = 0; i < diff->functions->len; i++)
    {
        FcDiffFunction *function = &g_array_index(diff->functions, FcDiffFunction, i);
        complete_sample(samples[i], variances[i]);
        add_sample(diff, side, function->figures, &function->filled[side], samples[i]);
        for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
            function->variance[metric][side] =
                MAX(function->variance[metric][side], variances[i][metric]);
    }
}

static void add_whole(FcDiff *diff, FcDiffSide side, const FcModel *model)
{
    Sample sample = {0};
    Sample variance = {0};
    for (guint i = 0; i < model->functions->len; i++)
        sample[FC_DIFF_CALLS] += (double)fc_model_function(model, i)->figures.calls;
    sample[FC_DIFF_TOTAL] = (double)model->profile->run_ns;
    sample[FC_DIFF_LOCAL] = (double)model->base_ns;
    sample[FC_DIFF_BYTES] = (double)model->profile->heap.bytes;
    complete_sample(sample, variance);
    add_sample(diff, side, diff->whole.figures, &diff->whole.filled[side], sample);
    g_array_append_val(diff->locals[side], model->base_ns);
    if (model->profile->heap.recorded || !diff->memory)
        return;
    diff->memory = FALSE;
    diff->no_memory = g_strdup(model->operands->pdata[0]);
}

/* ---- Contexts ------------------------------------------------------------------------ */

static guint find_context(FcDiff *diff, gint parent, gint function)
{
    const FcContextKey key = {parent, function};
    gpointer found = g_hash_table_lookup(diff->known_contexts, &key);
    if (found)
        return GPOINTER_TO_UINT(found); /* never 0, which is the root */
    const FcDiffContext context = {.parent = parent, .function = function};
    const guint index = diff->contexts->len;
    g_array_append_val(diff->contexts, context);
    g_hash_table_insert(diff->known_contexts, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index));
    return index;
}

/* Several nodes may be one context, as several functions of the model may be one function of the
 * difference. */
static void add_contexts(FcDiff *diff, FcDiffSide side, const FcModel *model, const guint *row_of)
{
    g_autoptr(FcStacks) stacks = fc_stacks_new(model);
    const guint count = stacks->nodes->len;
    g_autofree guint64 *times = fc_stacks_totals(stacks, FC_WEIGHT_TIME);
    g_autofree guint64 *bytes = fc_stacks_totals(stacks, FC_WEIGHT_BYTES);
    g_autofree guint *context_of = g_new0(guint, count);
    for (guint i = 1; i < count; i++)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        const gint function = node->function >= 0 ? (gint)row_of[node->function] : node->function;
        context_of[i] = find_context(diff, (gint)context_of[node->parent], function);
    }
    g_autofree Sample *samples = g_new0(Sample, diff->contexts->len);
    for (guint i = 0; i < count; i++)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        double *sample = samples[context_of[i]];
        sample[FC_DIFF_CALLS] += (double)node->self[FC_WEIGHT_CALLS];
        sample[FC_DIFF_LOCAL] += (double)node->self[FC_WEIGHT_TIME];
        sample[FC_DIFF_TOTAL] += (double)times[i];
        sample[FC_DIFF_BYTES] += (double)bytes[i];
    }
    for (guint i = 0; i < diff->contexts->len; i++)
    {
        FcDiffContext *context = &g_array_index(diff->contexts, FcDiffContext, i);
        add_sample(diff, side, context->figures, &context->filled[side], samples[i]);
    }
}

/* ---- A run --------------------------------------------------------------------------- */

void fc_diff_add_run(FcDiff *diff, FcDiffSide side, const FcModel *model)
{
    g_autofree guint *row_of = g_new0(guint, model->functions->len + 1);
    add_functions(diff, side, model, row_of);
    add_whole(diff, side, model);
    if (diff->contexts)
        add_contexts(diff, side, model, row_of);
    diff->time = model->time;
    diff->runs[side]++;
}
