/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report --summary: what ran, for how long, and what is notable.  It is no part of the first
 * screen (report-overview.c).
 */
#include "fcdump/findings.h"
#include "fcdump/job.h"
#include "fcdump/report.h"
#include "model/contention.h"
#include "model/hotpath.h"

#include "profile/path.h"

#define NOTABLE_PATH 0.5 /* of the whole, at least */
#define CYCLE_NAMES 4    /* members that are named */

static const FcColumn columns[] = {{NULL, NULL, TRUE}, {NULL, NULL, TRUE}};

static void add(FcTable *table, const char *label, char *value)
{
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup(label));
    fc_table_cell(table, value);
}

/* "3 threads" */
static char *format_number(guint64 count, const char *what, const char *plural)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT " %s%s", count, what, count == 1 ? "" : plural);
}

static const FcProfile *header_of(const FcModel *model, guint index)
{
    return ((const FcInput *)model->inputs->pdata[index])->header;
}

/* ---- What ran ------------------------------------------------------------------------ */

static void add_program(FcTable *table, const FcModel *model)
{
    const FcProfile *first = header_of(model, 0);
    guint64 failed = 0;
    const guint64 count = fc_report_processes(model, &failed);
    g_autofree char *programs = fc_report_programs(model, TRUE);
    g_autoptr(GString) text = g_string_new(programs);
    g_autofree char *end = fc_report_end(first);
    if (count == 1 && end)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", end);
    else if (failed > 0)
        g_string_append_printf(text,
                               ", %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                               " were killed or exited with another status than 0",
                               failed, count);
    if (text->len > 0)
        add(table, "Program", g_strdup(text->str));
}

static void add_job(FcTable *table, const FcModel *model)
{
    char *job = fc_job_text(model);
    if (job)
        add(table, "Job", job);
}

static void add_times(FcTable *table, const FcModel *model)
{
    const gboolean own_clocks = header_of(model, 0)->time_mode > 2; /* cpu, sys */
    const guint64 wall = fc_report_elapsed_ns(model);
    const guint64 base = model->local_ns;
    const gboolean threads_summed = header_of(model, 0)->thread_id != 0;
    g_autofree char *in_functions = g_strchomp(fc_format_time(base));
    g_autofree char *run = g_strchomp(fc_format_time(wall));
    g_autofree char *processes = format_number(fc_report_processes(model, NULL), "process", "es");
    g_autofree char *threads = format_number(fc_profile_threads(model->profile), "thread", "s");
    g_autoptr(GString) text = g_string_new(NULL);
    if (!own_clocks && wall > 0)
        g_string_append_printf(text, "%s, ", run);
    if (!threads_summed)
        g_string_append_printf(text, "%s, ", processes);
    if (model->profile->threads->len > 0)
        g_string_append_printf(text, "%s, ", threads);
    g_string_append_printf(text, "%s in functions%s", in_functions,
                           own_clocks ? " by their threads' processor time" : "");
    add(table, "Time", g_strdup(text->str));
}

static void add_calls(FcTable *table, const FcModel *model)
{
    guint64 calls = 0;
    guint hidden = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        calls += fc_model_function(model, i)->figures.calls;
        hidden += !fc_model_function(model, i)->shown;
    }
    g_autofree char *number = fc_format_count(calls);
    g_autofree char *functions = format_number(model->functions->len, "function", "s");
    g_autofree char *out =
        hidden > 0 ? g_strdup_printf(", of which %u are not shown", hidden) : g_strdup("");
    add(table, "Calls", g_strdup_printf("%s of %s%s", number, functions, out));
}

/* ---- What is notable ------------------------------------------------------------------ */

static void add_heaviest(FcTable *table, const FcReportContext *context, const gboolean *waiting)
{
    const FcModel *model = context->model;
    const FcFunction *most = NULL;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (function->shown && !waiting[i] &&
            (!most || function->figures.times.local_ns > most->figures.times.local_ns))
            most = function;
    }
    if (!most || most->figures.times.local_ns == 0)
        return;
    g_autofree char *share = fc_report_share(model, most->figures.times.local_ns);
    g_autofree char *total = fc_report_share(model, most->figures.times.total_ns);
    g_autofree char *calls = format_number(most->figures.calls, "call", "s");
    add(table, "Heaviest",
        g_strdup_printf("%s: %s%% itself, %s%% with its callees, %s", most->label, share, total,
                        calls));
}

/* The deepest step that still holds most of the time. */
static void add_hot_path(FcTable *table, const FcReportContext *context, const gboolean *waiting)
{
    const FcModel *model = context->model;
    g_autoptr(GArray) path = fc_hot_path(model, waiting, NOTABLE_PATH);
    guint steps = 0;
    while (steps < path->len && (double)g_array_index(path, FcHotStep, steps).total_ns >=
                                    NOTABLE_PATH * (double)model->base_ns)
        steps++;
    if (steps < 2)
        return;
    const FcHotStep *step = &g_array_index(path, FcHotStep, steps - 1);
    g_autofree char *share = fc_report_share(model, step->total_ns);
    add(table, "Hot path",
        g_strdup_printf("%s%% is spent below a chain of %u calls that ends in %s", share, steps,
                        fc_model_function(model, step->function)->label));
}

/* The time of the calls that enter the cycle, and who is in it. */
static void add_cycle(FcTable *table, const FcReportContext *context, guint cycle)
{
    const FcModel *model = context->model;
    guint count;
    const guint *members = fc_callgraph_cycle_members(model->graph, cycle, &count);
    const guint64 total_ns = fc_report_cycle_ns(model, cycle);
    if ((double)total_ns < FC_NOTABLE_CYCLE * (double)model->base_ns)
        return;
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < count && i < CYCLE_NAMES; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "",
                               fc_model_function(model, members[i])->label);
    if (count > CYCLE_NAMES)
        g_string_append_printf(names, " and %u more", count - CYCLE_NAMES);
    g_autofree char *share = fc_report_share(model, total_ns);
    add(table, "Cycle", g_strdup_printf("%s%% in cycle %u: %s", share, cycle, names->str));
}

/* The heaviest one; the others are in the report of cycles. */
static void add_cycles(FcTable *table, const FcReportContext *context)
{
    guint heaviest = 0;
    for (guint cycle = 1; cycle <= fc_callgraph_cycle_count(context->model->graph); cycle++)
        if (heaviest == 0 || fc_report_cycle_ns(context->model, cycle) >
                                 fc_report_cycle_ns(context->model, heaviest))
            heaviest = cycle;
    if (heaviest > 0)
        add_cycle(table, context, heaviest);
}

static void add_waiting(FcTable *table, const FcReportContext *context, const gboolean *waiting)
{
    const FcModel *model = context->model;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (!waiting[i])
            continue;
        g_autofree char *share = fc_report_share(model, function->figures.times.local_ns);
        add(table, "Idle",
            g_strdup_printf("%s%% in %s, where threads seem to wait; --base=main: 100%% without",
                            share, function->label));
    }
}

static void add_idle(FcTable *table, const FcContention *contention)
{
    if (contention->idle == 0 || contention->idle == contention->threads)
        return;
    g_autofree char *number = format_number(contention->threads, "thread", "s");
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < contention->names->len; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : ": ",
                               (const char *)contention->names->pdata[i]);
    add(table, "Idle",
        g_strdup_printf("%u of %s waited for %.0f%% of the time or more%s", contention->idle,
                        number, 100 * FC_CONTENTION_IDLE, names->str));
}

/* Of the threads that work: what they wait in, and whether others have their processors. */
static void add_contention(FcTable *table, const FcReportContext *context,
                           const FcContention *contention)
{
    const FcContentionPlace *place = &contention->contended;
    if (fc_contention_is_notable(place))
    {
        const FcFunction *function = fc_model_function(context->model, (guint)place->function);
        g_autofree char *share = fc_format_share(place->wait_ns, place->whole_ns);
        add(table, "Contended",
            g_strdup_printf("%u threads wait%s in %s, for %s%% of the time of all that work; "
                            "--waits: where else",
                            place->threads, place->kind == FC_WAIT_LOCK ? " for a lock" : "",
                            function->label, share));
    }
    char *waits = fc_job_waits(context->model);
    if (waits)
        add(table, "Ranks", waits);
    if (fc_contention_is_preempted(contention))
    {
        g_autofree char *reason = NULL;
        g_autofree char *text = fc_contention_preemption(contention, &reason);
        add(table, "Preempted", g_strconcat(text, reason, NULL));
    }
}

static void add_memory(FcTable *table, const FcReportContext *context)
{
    const FcMemory *memory = context->memory;
    if (!context->model->profile->heap.recorded)
        return;
    g_autofree char *peak = fc_format_bytes(context->model->profile->heap.peak_bytes);
    g_autofree char *lost = fc_format_bytes(memory->lost.bytes);
    g_autofree char *blocks = format_number(memory->lost.blocks, "block", "s");
    g_autofree char *bad = format_number(memory->bad_count, "bad free", "s");
    add(table, "Memory",
        g_strdup_printf("%s at the peak; %s of %s leaked; %s", peak, blocks, lost, bad));
}

static void render_summary(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    g_autofree gboolean *waiting = fc_hot_waiting(model);
    add_program(table, model);
    add_job(table, model);
    add_times(table, model);
    add_calls(table, model);
    add_heaviest(table, context, waiting);
    if (!model->of_threads)
        add_hot_path(table, context, waiting);
    if (!model->lacks_arcs)
        add_cycles(table, context);
    g_autoptr(FcContention) contention = fc_contention_new(model);
    if (contention->threads > 0)
        add_idle(table, contention);
    else
        add_waiting(table, context, waiting);
    add_contention(table, context, contention);
    add_memory(table, context);
    fc_render_title(context->render, "Summary");
    fc_table_print(table, context->render);
}

const FcReport fc_report_summary = {"summary", "what ran, for how long, and what is notable",
                                    FC_REPORT_ON_REQUEST, render_summary, .is_text = TRUE};
