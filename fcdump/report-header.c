/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The header: which tool read which files.
 */
#include "fcdump/report-header.h"

#define FILES_MAX 8 /* named one by one */
#define MANAGER_NOTABLE_NS 50000000u
#define SHARED_MAX 4u         /* named one by one */
#define HOOKS_LOOKED_AT 1000u /* functions: if none of these is hooked after inlining, none is */
#define FEW_SAMPLES 30u       /* of so few no function can have its time by them */

/* Notes kernel time that no sample shows, if it is more than a hundredth of all. */
static void note_unsampled(const FcReportContext *context)
{
    const guint64 ns = context->model->profile->unsampled_ns;
    if (ns <= context->model->local_ns / 100)
        return;
    g_autofree char *time = fc_format_brief_time(ns);
    fc_render_note(context->render,
                   "%s in the kernel are in no function's time, as the kernel was not sampled.",
                   time);
}

/* Notes what is exact and what is not, if anything is not. */
static void note_estimates(const FcReportContext *context)
{
    const FcModel *model = context->model;
    guint functions = 0;
    guint64 counted = 0;
    guint64 timed = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        functions += figures->counted > figures->timed;
        counted += figures->counted;
        timed += figures->timed;
    }
    if (functions == 0)
        return;
    if (model->profile->executed > 0 && timed == 0)
    {
        g_autofree char *samples = fc_format_count(model->profile->executed);
        fc_render_note(context->render,
                       "Calls are exact. Times are estimates from %s samples of where threads "
                       "executed%s; so are callers with ~.",
                       samples, model->profile->executed_by_timer > 0 ? ", taken by timers" : "");
        note_unsampled(context);
        return;
    }
    g_autofree char *all = fc_format_count(counted);
    g_autofree char *some = fc_format_count(timed);
    fc_render_note(context->render,
                   "Calls are exact. Of %u short function%s %s calls were counted, and %s of them "
                   "timed%s: times with ~ are estimates%s.",
                   functions, functions > 1 ? "s" : "", all, timed > 0 ? some : "none",
                   timed > 0 ? ", at random" : "",
                   model->profile->samples < FEW_SAMPLES
                       ? ", rough ones, as there are few samples of "
                         "where threads were"
                       : "");
}

/* The time that threads waited for the manager, or took to hand records to it. */
static guint64 sum_manager_ns(const FcProfile *profile)
{
    guint64 manager_ns = 0;
    for (guint i = 0; i < profile->threads->len; i++)
        manager_ns += g_array_index(profile->threads, FcProfileThread, i).manager_ns;
    return manager_ns;
}

/* Whether FC_FILTER skips functions: their calls are not known, so their overhead isn't either. */
static gboolean is_skipping(const char *filter)
{
    g_auto(GStrv) words = g_strsplit(filter ? filter : "", ";", -1);
    for (char **word = words; *word; word++)
        if (*g_strstrip(*word) && !g_str_has_prefix(*word, "count:") &&
            !g_str_has_prefix(*word, "time:"))
            return TRUE;
    return FALSE;
}

static gboolean has_skipped(const FcModel *model)
{
    for (guint i = 0; i < model->inputs->len; i++)
        if (is_skipping(((const FcInput *)model->inputs->pdata[i])->header->filter))
            return TRUE;
    return FALSE;
}

/* Notes the instrumentation overhead. */
static void note_costs(const FcReportContext *context)
{
    const FcModel *model = context->model;
    guint64 cost_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
        cost_ns += fc_model_function(model, i)->figures.times.local_cost_ns;
    if (cost_ns == 0)
        return;
    g_autofree char *cost = g_strchomp(fc_format_time(cost_ns));
    fc_render_note(
        context->render,
        "Times are without instrumentation overhead, %s in %s%s. --raw shows them as measured.",
        cost, model->of_threads ? "these threads" : "all",
        has_skipped(model) ? ", but for those of skipped calls" : "");
}

/* Notes what the times include. */
static void note_waits(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    const FcTimePart part = fc_options_time(context->options);
    gboolean notable;
    const guint64 manager_ns = sum_manager_ns(profile);
    g_autofree char *waits = g_strchomp(fc_format_time(fc_report_waits_ns(context, &notable)));
    const char *coarse =
        fc_profile_waits(profile) == FC_WAITS_COARSE ? ", which is known coarsely" : "";
    if (part == FC_TIME_PART_WAIT)
        fc_render_note(context->render,
                       "Times are those that threads waited or were preempted, %s in all%s.", waits,
                       coarse);
    else if (notable && part == FC_TIME_PART_CPU)
        fc_render_note(context->render,
                       "Times are on the CPU. Threads waited or were preempted for %s in these "
                       "functions%s: --time=wait shows where, --time=wall both together.",
                       waits, coarse);
    else if (notable)
        fc_render_note(context->render,
                       "Times hold %s in which threads waited or were preempted%s: --time=cpu is "
                       "without.",
                       waits, coarse);
    if (manager_ns < MANAGER_NOTABLE_NS)
        return;
    g_autofree char *manager = g_strchomp(fc_format_time(manager_ns));
    fc_render_note(context->render,
                   "Threads waited for the profile manager, or handed records to it, for %s in "
                   "all, which is in none of these times.",
                   manager);
}

/* Notes what was left out when the profile was made, which nothing else shows. */
static void note_filters(const FcReportContext *context)
{
    const GPtrArray *inputs = context->model->inputs;
    g_autoptr(GHashTable) told = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < inputs->len; i++)
    {
        const char *filter = ((const FcInput *)inputs->pdata[i])->header->filter;
        if (!filter || !g_hash_table_add(told, (gpointer)filter))
            continue;
        g_autofree char *text = fc_format_text(filter);
        fc_render_note(context->render, "Recorded with FC_FILTER=%s%s.", text,
                       is_skipping(filter) ? ": what that skips has no calls, and its time, with "
                                             "its overhead, is that of its callers"
                                           : "");
    }
}

static void note_depths(const FcReportContext *context)
{
    const GPtrArray *inputs = context->model->inputs;
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < inputs->len; i++)
    {
        const guint depth = ((const FcInput *)inputs->pdata[i])->header->depth;
        if (depth == 0 || !g_hash_table_add(told, GUINT_TO_POINTER(depth)))
            continue;
        fc_render_note(
            context->render,
            "Recorded with FC_DEPTH=%u: deeper calls are only counted, and their time is "
            "that of the calls they were made in.",
            depth);
    }
}

/* Hooks after inlining are known by the code.  Hooks before inlining are known only by arcs to
 * inlined functions. */
static void note_hooks(const FcReportContext *context)
{
    const FcModel *model = context->model;
    gboolean is_after = FALSE;
    for (guint i = 0; i < MIN(model->functions->len, HOOKS_LOOKED_AT) && !is_after; i++)
        is_after = fc_symbols_is_after_inlining(model->symbols, model->profile,
                                                &fc_model_function(model, i)->figures.location);
    gboolean is_before = FALSE;
    for (guint i = 0; i < model->profile->arcs->len && !is_after && !is_before; i++)
        is_before = model->inlined[i];
    if (is_after)
        fc_render_note(context->render,
                       "Hooks were put in after inlining: what the compiler inlined is a part of "
                       "its callers. --inlined lists it.");
    else if (is_before)
        fc_render_note(context->render,
                       "Hooks were put in before inlining: what the compiler inlined is as any "
                       "function, but slower than it is without hooks.");
}

/* Functions that the linker folded (--icf) have the calls and times of one row. */
static void note_shared(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autoptr(GString) names = g_string_new(NULL);
    guint count = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        const char *other =
            fc_symbols_find_other_name(model->symbols, model->profile, &function->figures.location);
        if (!other || count++ >= SHARED_MAX)
            continue;
        g_autofree char *one = fc_format_text(function->name);
        g_autofree char *two = fc_format_text(other);
        g_string_append_printf(names, "%s%s is %s, too", count == 1 ? "" : "; ", one, two);
    }
    if (count > SHARED_MAX)
        g_string_append_printf(names, "; and %u more", count - SHARED_MAX);
    if (count > 0)
        fc_render_note(context->render,
                       "Code with two names, an alias or equal functions that the linker folded, "
                       "has one row: %s.",
                       names->str);
}

void fc_report_header_notes(const FcReportContext *context)
{
    note_hooks(context);
    note_shared(context);
    note_filters(context);
    note_depths(context);
    note_estimates(context);
    note_costs(context);
}

static void render_header(const FcReportContext *context)
{
    const GPtrArray *operands = context->model->operands;
    g_autoptr(GString) files = g_string_new(NULL);
    for (guint i = 0; i < operands->len && i < FILES_MAX; i++)
    {
        g_autofree char *path = fc_format_text(operands->pdata[i]);
        g_string_append_printf(files, "%s%s", i > 0 ? ", " : "", path);
    }
    if (operands->len > FILES_MAX)
        g_string_append_printf(files, " and %u more", operands->len - FILES_MAX);
    fc_render_title(context->render, "FunctionCheck " FC_VERSION " profile: %s", files->str);
    fc_report_header_notes(context);
    note_waits(context);
}

const FcReport fc_report_header = {"header",           "what made this output, and from what",
                                   FC_REPORT_CLASSIC,  render_header,
                                   .shows_diff = TRUE, .is_text = TRUE};
