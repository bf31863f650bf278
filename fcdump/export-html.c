/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile as one page that needs no network: its data as JSON, the library d3 and our script
 * that shows them, all in the file.  The script is in fcdump/page; d3 is taken from the system
 * when fcdump is built.
 */
#include "fcdump/export-html.h"
#include "fcdump/embedded.h"
#include "fcdump/export-json.h"
#include "fcdump/export.h"
#include "fcdump/report-header.h"
#include "fcdump/report-path.h"

#include <stdlib.h>
#include <string.h>

enum
{
    NODES_MAX = 120000, /* contexts: more would take a browser seconds to open */
    THREAD_FUNCTIONS_MAX = 20,
};

/* ---- Functions and arcs ------------------------------------------------------------------ */

/* As the reports, which show what of it was on the CPU. */
static void put_mark(const FcReportContext *context, FcJson *json, FcTimeSum sum, guint64 wait_ns)
{
    sum.ns -= MIN(wait_ns, sum.ns);
    fc_json_string(json, NULL, fc_report_time_mark(context, &sum));
}

/* An array, whose members page/data.js names. */
static void put_function(const FcReportContext *context, FcJson *json, guint index)
{
    const FcModel *model = context->model;
    const FcFunction *function = fc_model_function(model, index);
    const FcProfileFunction *figures = &function->figures;
    const FcProfileAllocSite *own = &context->memory->self[index];
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &figures->place, FALSE, &symbol);
    fc_json_begin_array(json, NULL);
    fc_json_string(json, NULL, function->name);
    fc_json_boolean(json, NULL, function->shown);
    fc_json_string(json, NULL, symbol.file);
    fc_json_unsigned(json, NULL, symbol.line);
    fc_json_unsigned(json, NULL, figures->calls);
    fc_json_unsigned(json, NULL, figures->times.total_ns);
    fc_json_unsigned(json, NULL, figures->times.local_ns);
    fc_json_unsigned(json, NULL, figures->bounds.total_min_ns);
    fc_json_unsigned(json, NULL, figures->bounds.total_max_ns);
    fc_json_unsigned(json, NULL, own->bytes);
    fc_json_unsigned(json, NULL, own->allocations);
    fc_json_unsigned(json, NULL, own->live_bytes);
    fc_json_unsigned(json, NULL, own->peak_bytes);
    fc_json_begin_array(json, NULL);
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
    {
        const guint64 calls = fc_histogram_get(&figures->histogram, i);
        if (calls == 0)
            continue;
        fc_json_unsigned(json, NULL, i);
        fc_json_unsigned(json, NULL, calls);
    }
    fc_json_end_array(json);
    FcTimeSum total = {0};
    FcTimeSum local = {0};
    fc_report_add_total(&total, figures);
    fc_report_add_local(&local, figures);
    put_mark(context, json, total, figures->times.total_wait_ns);
    put_mark(context, json, local, figures->times.local_wait_ns);
    fc_json_unsigned(json, NULL,
                     figures->times.total_ns -
                         MIN(figures->times.total_wait_ns, figures->times.total_ns));
    fc_json_unsigned(json, NULL,
                     figures->times.local_ns -
                         MIN(figures->times.local_wait_ns, figures->times.local_ns));
    fc_json_string(json, NULL, fc_report_is_sampled(figures) ? "~" : "");
    fc_json_end_array(json);
}

static void put_functions(const FcReportContext *context, FcJson *json)
{
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < context->model->functions->len; i++)
        put_function(context, json, i);
    fc_json_end_array(json);
}

const char *fc_export_html_arc_mark(const FcReportContext *context, const FcArc *arc)
{
    const FcFunction *callee = fc_model_function(context->model, arc->callee);
    const gboolean estimated = fc_report_is_estimated(&callee->figures);
    return arc->at_most ? estimated ? "<~" : "<" : estimated ? "~" : "";
}

static void put_arcs(const FcReportContext *context, FcJson *json)
{
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(context->model->graph, &count);
    fc_json_begin_array(json, "arcs");
    for (guint i = 0; i < count; i++)
    {
        fc_json_begin_array(json, NULL);
        fc_json_signed(json, NULL, arcs[i].caller);
        fc_json_unsigned(json, NULL, arcs[i].callee);
        fc_json_unsigned(json, NULL, arcs[i].calls);
        fc_json_unsigned(json, NULL, arcs[i].total_ns);
        fc_json_string(json, NULL, fc_model_via(context->model, arcs[i].via));
        fc_json_unsigned(json, NULL,
                         arcs[i].total_ns -
                             MIN(arcs[i].total_ns, fc_model_arc_wait_ns(context->model, &arcs[i])));
        fc_json_string(json, NULL, fc_export_html_arc_mark(context, &arcs[i]));
        fc_json_boolean(json, NULL, fc_report_is_apportioned(context->model, &arcs[i]));
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

/* ---- Threads, processes, notes ------------------------------------------------------------- */

static int compare_local(gconstpointer a, gconstpointer b)
{
    const guint64 x = (*(const FcProfileThreadFunction *const *)a)->times.local_ns;
    const guint64 y = (*(const FcProfileThreadFunction *const *)b)->times.local_ns;
    return (x < y) - (x > y);
}

static void put_thread_functions(const FcReportContext *context, FcJson *json,
                                 const FcProfileThread *thread)
{
    g_autoptr(GPtrArray) functions = g_ptr_array_new();
    for (guint i = 0; i < thread->functions->len; i++)
        g_ptr_array_add(functions, &g_array_index(thread->functions, FcProfileThreadFunction, i));
    g_ptr_array_sort(functions, compare_local);
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < MIN(functions->len, THREAD_FUNCTIONS_MAX); i++)
    {
        const FcProfileThreadFunction *function = functions->pdata[i];
        fc_json_begin_array(json, NULL);
        fc_json_unsigned(json, NULL, context->model->function_of[function->function]);
        fc_json_unsigned(json, NULL, function->calls);
        fc_json_unsigned(json, NULL, function->times.local_ns);
        fc_json_unsigned(json, NULL,
                         function->times.local_ns -
                             MIN(function->times.local_wait_ns, function->times.local_ns));
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
}

static guint64 local_cpu_ns(const FcProfileThread *thread)
{
    guint64 cpu_ns = 0;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        cpu_ns +=
            function->times.local_ns - MIN(function->times.local_wait_ns, function->times.local_ns);
    }
    return cpu_ns;
}

static void put_threads(const FcReportContext *context, FcJson *json)
{
    const GArray *threads = context->model->profile->threads;
    fc_json_begin_array(json, "threads");
    for (guint i = 0; i < threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(threads, FcProfileThread, i);
        fc_json_begin_object(json, NULL);
        fc_export_json_thread_run(json, thread);
        fc_json_unsigned(json, "local_ns", fc_report_thread_local_ns(thread));
        fc_json_unsigned(json, "local_cpu_ns", local_cpu_ns(thread));
        put_thread_functions(context, json, thread);
        fc_json_end_object(json);
    }
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

/* What the reports have above them, a line each. */
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

/* The part of 100% off the CPU. */
static guint64 base_wait_ns(const FcModel *model)
{
    if (model->base != FC_NONE)
        return fc_model_function(model, (guint)model->base)->figures.times.total_wait_ns;
    guint64 wait_ns = 0;
    for (guint i = 0; i < model->functions->len; i++)
        wait_ns += fc_model_function(model, i)->figures.times.local_wait_ns;
    return wait_ns;
}

static void put_data(const FcReportContext *context, const FcStacks *stacks, FILE *out)
{
    const FcProfile *profile = context->model->profile;
    g_autoptr(FcJson) json = fc_json_new(out);
    fc_json_set_shown(json);
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "tool_version", FC_VERSION);
    fc_json_string(json, "program", profile->executable);
    fc_json_signed(json, "start_realtime_ns", profile->start_realtime_ns);
    fc_json_unsigned(json, "run_ns", profile->run_ns);
    fc_json_unsigned(json, "base_ns", context->model->base_ns);
    fc_json_unsigned(json, "base_cpu_ns",
                     context->model->base_ns -
                         MIN(context->model->base_ns, base_wait_ns(context->model)));
    fc_json_signed(json, "time_mode", profile->time_mode);
    fc_json_unsigned(json, "contexts", profile->contexts->len);
    fc_json_unsigned(json, "omitted", stacks->omitted);
    fc_json_unsigned(json, "deep", stacks->deep);
    put_functions(context, json);
    put_arcs(context, json);
    put_nodes(stacks, json);
    put_threads(context, json);
    put_processes(context, json);
    put_header(context, json);
    put_notes(json, "losses", profile->losses);
    put_notes(json, "repairs", profile->repairs);
    fc_export_html_heap(context, json);
    fc_export_html_sources(context, json);
    if (context->diff)
        fc_export_html_diff(context, json);
    fc_json_end_object(json);
}

/* In a page the text of a script ends at "</script", wherever that stands; in JSON a "<" can only
 * be in a string, where it may be written as a number. */
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
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>FunctionCheck</title>\n"
          "<link rel=\"icon\" href=\"data:,\">\n<style>\n",
          out);
    fputs(fc_embedded_page_css, out);
    fputs("</style>\n</head>\n", out);
    fputs(fc_embedded_page_html, out);
    fputs("<script type=\"application/json\" id=\"profile\">", out);
    put_escaped(out, text, size);
    free(text);
    fputs("</script>\n<script type=\"text/plain\" id=\"licence\">\nThe script below is d3; its "
          "licence:\n\n",
          out);
    fputs(fc_embedded_d3_licence, out);
    fputs("</script>\n<script>\n", out);
    fputs(fc_embedded_d3_js, out);
    fputs("</script>\n<script>\n\"use strict\";\n", out);
    fputs(fc_embedded_data_js, out);
    fputs(fc_embedded_flames_js, out);
    fputs(fc_embedded_views_js, out);
    fputs(fc_embedded_diff_js, out);
    fputs(fc_embedded_page_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
    fc_export_note_stacks(context, "html", stacks);
    fc_export_note_lost(context, "html", FC_LOST_SITES);
}

const FcReport fc_export_html = {"html", "everything in one page, for a browser", FC_REPORT_FILE,
                                 render_html, .shows_diff = TRUE};
