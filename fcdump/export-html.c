/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile as one page that needs no network: its data as JSON and our script that shows them,
 * all in the file.  The script is bundled from the modules in fcdump/page when fcdump is built,
 * which also name the members of what is an array here.
 */
#include "fcdump/export-html.h"
#include "fcdump/embedded.h"
#include "fcdump/export-json.h"
#include "fcdump/export.h"
#include "fcdump/report-header.h"
#include "fcdump/report-path.h"
#include "model/contention.h"
#include "model/labels.h"
#include "model/latency.h"
#include "model/slowest.h"
#include "profile/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    NODES_MAX = 120000, /* contexts: more would take a browser seconds to open */
    FRAMES_MAX = 40,    /* callers of a slow call */
    PLAIN_ROWS = 30,    /* in the table for browsers without scripts */
};

typedef struct
{
    const FcReportContext *context;
    FcJson *json;
    FcLatencyTable *latencies;
    FcSlowestTable *slowest;
} Export;

guint64 fc_export_html_cpu_ns(const FcModel *model, guint64 ns, guint64 wait_ns)
{
    return model->time == FC_TIME_PART_WALL ? ns - MIN(wait_ns, ns) : ns;
}

void fc_export_html_off(FcJson *json, const FcProfileTimes *times, const FcProfileOff *off)
{
    const FcContentionParts parts = fc_contention_parts(times, off);
    fc_json_begin_array(json, NULL);
    fc_json_unsigned(json, NULL, parts.preempted_ns);
    for (guint kind = 0; kind <= FC_WAIT_KINDS; kind++)
        fc_json_unsigned(json, NULL, parts.kind_ns[kind]);
    fc_json_end_array(json);
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Writes the mark and the standard error of the part on the CPU, as reports show them. */
static void put_doubt(const Export *export, FcTimeSum sum, guint64 wait_ns)
{
    const FcReportContext *context = export->context;
    sum.ns = fc_export_html_cpu_ns(context->model, sum.ns, wait_ns);
    fc_json_string(export->json, NULL, fc_report_time_mark(context, &sum));
    fc_json_unsigned(export->json, NULL,
                     sum.estimated ? (guint64)MIN(sqrt(sum.variance), 0x1p62) : 0);
}

/* Writes null if no call was timed. */
static void put_latency(const Export *export, const FcPercentileSet *set)
{
    if (set->calls == 0)
    {
        fc_json_null(export->json, NULL);
        return;
    }
    fc_json_begin_array(export->json, NULL);
    for (FcPercentile i = 0; i < FC_PERCENTILES; i++)
        fc_json_unsigned(export->json, NULL, set->ns[i]);
    fc_json_end_array(export->json);
}

/* Writes the callers, the innermost first. */
static void put_callers(const Export *export, gint context)
{
    const FcModel *model = export->context->model;
    fc_json_begin_array(export->json, NULL);
    for (guint i = 0; context != FC_NONE && !model->of_threads && i < FRAMES_MAX; i++)
    {
        const FcProfileContext *at =
            &g_array_index(model->profile->contexts, FcProfileContext, context);
        fc_json_unsigned(export->json, NULL, model->function_of[at->function]);
        context = at->parent;
    }
    fc_json_end_array(export->json);
}

static void put_slowest(const Export *export, guint index)
{
    FcJson *json = export->json;
    const FcSlowestTable *slowest = export->slowest;
    fc_json_begin_array(json, NULL);
    for (guint i = slowest->first[index]; i < slowest->first[index + 1]; i++)
    {
        const FcProfileSlowCall *call = g_array_index(slowest->calls, const FcProfileSlowCall *, i);
        fc_json_begin_array(json, NULL);
        fc_json_unsigned(json, NULL, call->total_ns);
        fc_json_unsigned(json, NULL, call->realtime_ns);
        fc_json_signed(json, NULL, call->tid);
        put_callers(export, call->context);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
}

static void put_histogram(const Export *export, const FcProfileFunction *figures)
{
    fc_json_begin_array(export->json, NULL);
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
    {
        const guint64 calls = fc_histogram_get(&figures->histogram, i);
        if (calls == 0)
            continue;
        fc_json_unsigned(export->json, NULL, i);
        fc_json_unsigned(export->json, NULL, calls);
    }
    fc_json_end_array(export->json);
}

static void put_memory(const Export *export, guint index)
{
    const FcProfileAllocSite *own = &export->context->memory->self[index];
    fc_json_begin_array(export->json, NULL);
    fc_json_unsigned(export->json, NULL, own->bytes);
    fc_json_unsigned(export->json, NULL, own->allocations);
    fc_json_unsigned(export->json, NULL, own->live_bytes);
    fc_json_unsigned(export->json, NULL, own->peak_bytes);
    fc_json_end_array(export->json);
}

/* The place of the call in which the function waits most, and for how long. */
static void put_wait_site(const Export *export, guint index)
{
    const FcModel *model = export->context->model;
    const FcProfileWaitSite *site = fc_contention_site(model, index, FC_WAIT_KINDS);
    guint line;
    if (!site)
    {
        fc_json_null(export->json, NULL);
        return;
    }
    fc_json_begin_array(export->json, NULL);
    fc_json_string(export->json, NULL, fc_contention_site_line(model, site, &line));
    fc_json_unsigned(export->json, NULL, line);
    fc_json_unsigned(export->json, NULL, fc_contention_site_ns(model, site, FC_WAIT_KINDS));
    fc_json_end_array(export->json);
}

/* An array, whose members page/data.js names. */
static void put_function(const Export *export, guint index)
{
    const FcModel *model = export->context->model;
    FcJson *json = export->json;
    const FcFunction *function = fc_model_function(model, index);
    const FcProfileFunction *figures = &function->figures;
    const FcProfileTimes *times = &figures->times;
    const FcProfileBounds bounds = fc_profile_elapsed_bounds(figures);
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &figures->location, FALSE, &symbol);
    fc_json_begin_array(json, NULL);
    fc_json_string(json, NULL, function->name);
    fc_json_boolean(json, NULL, function->shown);
    fc_json_string(json, NULL, symbol.file);
    fc_json_unsigned(json, NULL, symbol.line);
    fc_json_signed(json, NULL, figures->location.module);
    fc_json_unsigned(json, NULL, figures->calls);
    fc_json_unsigned(json, NULL, times->total_ns);
    fc_json_unsigned(json, NULL, times->local_ns);
    fc_json_unsigned(json, NULL,
                     fc_export_html_cpu_ns(model, times->total_ns, times->total_wait_ns));
    fc_json_unsigned(json, NULL,
                     fc_export_html_cpu_ns(model, times->local_ns, times->local_wait_ns));
    FcTimeSum total = {0};
    FcTimeSum local = {0};
    fc_report_add_total(&total, figures);
    fc_report_add_local(&local, figures);
    put_doubt(export, total, times->total_wait_ns);
    put_doubt(export, local, times->local_wait_ns);
    fc_json_boolean(json, NULL, fc_report_is_local_known(figures));
    fc_json_unsigned(json, NULL, bounds.total_min_ns);
    fc_json_unsigned(json, NULL, bounds.total_max_ns);
    fc_json_string(json, NULL, fc_report_is_sampled(figures) ? "~" : "");
    put_histogram(export, figures);
    const FcPercentileSet latency = fc_latency_of_function(export->latencies, index);
    put_latency(export, &latency);
    put_slowest(export, index);
    put_memory(export, index);
    fc_json_string(json, NULL, function->label);
    fc_export_html_off(json, times, figures->off);
    fc_json_boolean(json, NULL, figures->uncounted && figures->calls == 0);
    put_wait_site(export, index);
    fc_json_end_array(json);
}

static void put_functions(const Export *export)
{
    fc_json_begin_array(export->json, "functions");
    for (guint i = 0; i < export->context->model->functions->len; i++)
        put_function(export, i);
    fc_json_end_array(export->json);
}

/* ---- Arcs ---------------------------------------------------------------------------------- */

const char *fc_export_html_arc_mark(const FcReportContext *context, const FcArc *arc)
{
    const FcFunction *callee = fc_model_function(context->model, arc->callee);
    const gboolean estimated = fc_report_is_estimated(&callee->figures);
    return arc->at_most ? estimated ? "<~" : "<" : estimated ? "~" : "";
}

static void put_arcs(const Export *export)
{
    const FcModel *model = export->context->model;
    FcJson *json = export->json;
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    fc_json_begin_array(json, "arcs");
    for (guint i = 0; i < count; i++)
    {
        fc_json_begin_array(json, NULL);
        fc_json_signed(json, NULL, arcs[i].caller);
        fc_json_unsigned(json, NULL, arcs[i].callee);
        fc_json_unsigned(json, NULL, arcs[i].calls);
        fc_json_unsigned(json, NULL, arcs[i].total_ns);
        const char *via = fc_model_via(model, arcs[i].via);
        fc_json_string(json, NULL, via ? fc_labels_of_name(model, via) : NULL);
        fc_json_unsigned(
            json, NULL,
            fc_export_html_cpu_ns(model, arcs[i].total_ns, fc_model_arc_wait_ns(model, &arcs[i])));
        fc_json_string(json, NULL, fc_export_html_arc_mark(export->context, &arcs[i]));
        fc_json_boolean(json, NULL, fc_report_is_apportioned(model, &arcs[i]));
        const FcPercentileSet latency = fc_latency_of_arc(export->latencies, &arcs[i]);
        put_latency(export, &latency);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
}

/* ---- Contexts ------------------------------------------------------------------------------ */

static void put_nodes(const FcStacks *stacks, FcJson *json)
{
    fc_json_begin_object(json, "nodes");
    fc_json_begin_array(json, "parent");
    for (guint i = 0; i < stacks->nodes->len; i++)
        fc_json_signed(json, NULL, fc_stacks_node(stacks, i)->parent);
    fc_json_end_array(json);
    fc_json_begin_array(json, "function");
    for (guint i = 0; i < stacks->nodes->len; i++)
        fc_json_signed(json, NULL, fc_stacks_node(stacks, i)->function);
    fc_json_end_array(json);
    fc_json_end_object(json);
    fc_json_begin_array(json, "weights");
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
    {
        if (!fc_weight_is_known(stacks->model, weight))
            continue;
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "name", fc_weight_name(weight));
        fc_json_string(json, "unit", fc_weight_unit(weight));
        fc_json_begin_array(json, "self");
        for (guint i = 0; i < stacks->nodes->len; i++)
            fc_json_unsigned(json, NULL, fc_stacks_node(stacks, i)->self[weight]);
        fc_json_end_array(json);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* ---- Processes, modules, notes ------------------------------------------------------------- */

static void put_modules(const FcReportContext *context, FcJson *json)
{
    const GArray *modules = context->model->profile->modules;
    fc_json_begin_array(json, "modules");
    for (guint i = 0; i < modules->len; i++)
        fc_json_string(json, NULL, g_array_index(modules, FcProfileModule, i).path);
    fc_json_end_array(json);
}

static void put_processes(const FcReportContext *context, FcJson *json)
{
    const GPtrArray *inputs = context->model->inputs;
    fc_json_begin_array(json, "processes");
    for (guint i = 0; i < inputs->len; i++)
    {
        const FcInput *input = inputs->pdata[i];
        g_autofree char *command =
            input->header->command_line ? g_strjoinv(" ", input->header->command_line) : NULL;
        g_autofree char *end = fc_report_end(input->header);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "file", input->path);
        fc_json_string(json, "end", end);
        fc_json_signed(json, "pid", input->header->pid);
        fc_json_signed(json, "ppid", input->header->ppid);
        fc_json_string(json, "executable", input->header->executable);
        fc_json_string(json, "command", command);
        fc_export_json_job(json, &input->header->job);
        fc_json_unsigned(json, "run_ns", input->header->run_ns);
        fc_json_unsigned(json, "threads", input->threads);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* Writes the lines that reports have above them. */
static void put_header(const FcReportContext *context, FcJson *json)
{
    char *text = NULL;
    gsize size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        g_error("no memory for the page");
    g_autoptr(FcRender) render = fc_render_new(memory, FALSE, 0, TRUE);
    FcReportContext plain = *context;
    plain.render = render;
    fc_report_header_notes(&plain);
    fclose(memory);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    fc_json_begin_array(json, "notes");
    for (guint i = 0; lines[i]; i++)
        if (*lines[i] != '\0')
            fc_json_string(json, NULL, lines[i]);
    fc_json_end_array(json);
    free(text);
}

static void put_notes(FcJson *json, const char *key, const GArray *notes)
{
    fc_json_begin_array(json, key);
    for (guint i = 0; i < notes->len; i++)
    {
        const FcProfileNote *note = &g_array_index(notes, FcProfileNote, i);
        fc_json_begin_array(json, NULL);
        fc_json_string(json, NULL, note->kind);
        fc_json_unsigned(json, NULL, note->count);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
}

/* ---- The page ------------------------------------------------------------------------------ */

/* The time off the CPU in what is 100%. */
static guint64 base_wait_ns(const FcModel *model)
{
    if (model->base != FC_NONE)
        return fc_model_function(model, (guint)model->base)->figures.times.total_wait_ns;
    guint64 wait_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
        wait_ns += fc_model_function(model, i)->figures.times.local_wait_ns;
    return wait_ns;
}

static guint64 local_cpu_of(const FcModel *model, guint function)
{
    const FcProfileTimes *times = &fc_model_function(model, function)->figures.times;
    return fc_export_html_cpu_ns(model, times->local_ns, times->local_wait_ns);
}

static int compare_cpu(gconstpointer a, gconstpointer b, gpointer model)
{
    const guint64 x = local_cpu_of(model, *(const guint *)a);
    const guint64 y = local_cpu_of(model, *(const guint *)b);
    return (x < y) - (x > y);
}

/* The name of the clock of the page's first weight. */
static const char *first_clock(const FcModel *model)
{
    return model->time == FC_TIME_PART_WAIT ? "waited"
           : model->time == FC_TIME_PART_CPU || fc_weight_is_known(model, FC_WEIGHT_CPU)
               ? "CPU"
               : "elapsed";
}

/* A table of the heaviest functions, for browsers without scripts. */
static void put_plain(const FcReportContext *context, FILE *out)
{
    const FcModel *model = context->model;
    const char *clock = first_clock(model);
    g_autoptr(GArray) functions = fc_report_functions(context);
    g_array_sort_with_data(functions, compare_cpu, (gpointer)model);
    const guint rows = MIN(functions->len, PLAIN_ROWS);
    fprintf(out,
            "<noscript>\n<p>This page draws itself by its script, which the browser does not run. "
            "The %u functions with most own time:</p>\n<table>\n<tr><th>own %s<th>total %s"
            "<th>calls<th>function</tr>\n",
            rows, clock, clock);
    for (guint i = 0; i < rows; i++)
    {
        const guint index = g_array_index(functions, guint, i);
        const FcFunction *function = fc_model_function(model, index);
        const FcProfileTimes *times = &function->figures.times;
        g_autofree char *local = fc_format_brief_time(local_cpu_of(model, index));
        g_autofree char *total = fc_format_brief_time(
            fc_export_html_cpu_ns(model, times->total_ns, times->total_wait_ns));
        g_autofree char *calls = fc_format_count(function->figures.calls);
        g_autofree char *plain = fc_plain_lines(function->name);
        g_autofree char *name = g_markup_escape_text(plain, -1);
        fprintf(out, "<tr><td>%s<td>%s<td>%s<td>%s</tr>\n", local, total, calls, name);
    }
    fputs("</table>\n</noscript>\n", out);
}

static void put_run(const FcReportContext *context, const FcStacks *stacks, FcJson *json)
{
    static const char *const clocks[] = {[FC_TIME_PART_WALL] = "elapsed",
                                         [FC_TIME_PART_CPU] = "cpu",
                                         [FC_TIME_PART_WAIT] = "waited"};
    const FcModel *model = context->model;
    const FcProfile *profile = model->profile;
    g_autofree char *programs = fc_report_programs(model, TRUE);
    fc_json_string(json, "tool_version", FC_VERSION);
    fc_json_string(json, "program", *programs ? programs : NULL);
    fc_json_signed(json, "start_realtime_ns", profile->start_realtime_ns);
    fc_json_unsigned(json, "run_ns", profile->run_ns);
    fc_json_unsigned(json, "elapsed_ns", fc_report_elapsed_ns(model));
    fc_json_unsigned(json, "base_ns", model->base_ns);
    fc_json_unsigned(json, "base_cpu_ns",
                     fc_export_html_cpu_ns(model, model->base_ns, base_wait_ns(model)));
    fc_json_boolean(json, "has_base", model->base != FC_NONE);
    fc_json_signed(json, "time_mode", profile->time_mode);
    fc_json_string(json, "clock", clocks[model->time]);
    fc_json_boolean(json, "misses_calls", fc_report_misses_calls(context));
    fc_json_unsigned(json, "samples", profile->samples);
    fc_json_unsigned(json, "contexts", profile->contexts->len);
    fc_json_unsigned(json, "omitted", stacks->omitted);
    fc_json_unsigned(json, "deep", stacks->deep);
    fc_json_boolean(json, "has_latency", profile->latencies->len > 0);
}

static void put_data(const FcReportContext *context, const FcStacks *stacks, FILE *out)
{
    const FcProfile *profile = context->model->profile;
    g_autoptr(FcJson) json = fc_json_new(out);
    g_autoptr(FcLatencyTable) latencies = fc_latency_table_new(context->model);
    g_autoptr(FcSlowestTable) slowest = fc_slowest_table_new(context->model);
    const Export export = {context, json, latencies, slowest};
    fc_json_set_shown(json);
    fc_json_begin_object(json, NULL);
    put_run(context, stacks, json);
    fc_export_html_findings(context, json);
    put_modules(context, json);
    put_functions(&export);
    put_arcs(&export);
    put_nodes(stacks, json);
    fc_export_html_threads(context, json);
    put_processes(context, json);
    fc_export_html_ranks(context, json);
    put_header(context, json);
    put_notes(json, "losses", profile->losses);
    put_notes(json, "repairs", profile->repairs);
    fc_export_html_heap(context, json);
    fc_export_html_sources(context, json);
    if (context->diff)
        fc_export_html_diff(context, json);
    fc_json_end_object(json);
}

/* In a page a script ends at "</script", even inside a string.  In JSON a "<" can only be in a
 * string, where it may be written as a number. */
static void put_escaped(FILE *out, const char *text, gsize size)
{
    const char *const end = text + size;
    for (const char *p = text; p < end;)
    {
        const char *next = memchr(p, '<', (gsize)(end - p));
        const char *const stop = next ? next : end;
        fwrite(p, 1, (gsize)(stop - p), out);
        if (next)
            fputs("\\u003c", out);
        p = next ? next + 1 : end;
    }
}

static void render_html(const FcReportContext *context)
{
    FILE *out = fc_render_file(context->render);
    g_autoptr(FcStacks) all = fc_report_stacks(context);
    g_autoptr(FcStacks) stacks =
        fc_stacks_prune(all, NODES_MAX, context->options->min_percent / 100.0, FC_WEIGHTS);
    char *text = NULL;
    gsize size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        g_error("no memory for the page");
    put_data(context, stacks, memory);
    fclose(memory);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>FunctionCheck</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n",
          out);
    fputs(fc_embedded_page_css, out);
    fputs("</style>\n</head>\n", out);
    fputs(fc_embedded_page_html, out);
    put_plain(context, out);
    fputs("<script type=\"application/json\" id=\"profile\">", out);
    put_escaped(out, text, size);
    free(text);
    fputs("</script>\n<script>\n", out);
    fputs(fc_embedded_page_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
    fc_export_note_stacks(context, "html", stacks);
    fc_export_note_lost(context, "html", FC_LOST_SITES);
}

const FcReport fc_export_html = {"html", "everything in one page, for a browser", FC_REPORT_FILE,
                                 render_html, .shows_diff = TRUE};
