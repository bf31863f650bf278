/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * General information: the program, its run, how it ended, what was recorded.
 */
#include "fcdump/job.h"
#include "fcdump/report.h"

#include <string.h>

#include "profile/path.h"

#define RANK_COLUMN 4 /* in the table of processes; the next is that of the host */

static const FcColumn columns[] = {{NULL, NULL, TRUE}, {NULL, NULL, TRUE}};

static void add(FcTable *table, const char *label, char *value)
{
    if (!value)
        return;
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup(label));
    fc_table_cell(table, value);
}

static const char *time_mode_name(gint mode)
{
    static const char *const names[] = {"unknown", "tsc (time-stamp counter)",
                                        "ext (monotonic clock)", "cpu (processor time)",
                                        "sys (processor time in the kernel)"};
    return mode >= 1 && mode <= 4 ? names[mode] : names[0];
}

static const char *profile_mode_name(gint mode)
{
    static const char *const names[] = {"unknown", "SINGLE", "FORK", "THREAD"};
    return mode >= 1 && mode <= 3 ? names[mode] : names[0];
}

static char *format_start(const FcProfile *header)
{
    if (header->start_realtime_ns == 0)
        return NULL;
    g_autoptr(GDateTime) start =
        g_date_time_new_from_unix_local(header->start_realtime_ns / G_GINT64_CONSTANT(1000000000));
    return start ? g_date_time_format(start, "%Y-%m-%d %H:%M:%S %z") : NULL;
}

static char *format_command(const FcProfile *header)
{
    if (!header->command_line || !header->command_line[0])
        return NULL;
    GString *text = g_string_new(NULL);
    for (guint i = 0; header->command_line[i]; i++)
    {
        const char *word = header->command_line[i];
        gboolean plain = *word != '\0' && !strpbrk(word, " \t\n'\"\\$`*?[]()<>|&;#!~{}");
        g_autofree char *quoted = plain ? g_strdup(word) : g_shell_quote(word);
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", quoted);
    }
    return g_string_free(text, FALSE);
}

static char *format_process(const FcProfile *header)
{
    g_autofree char *end = fc_report_end(header);
    g_autofree char *thread = header->thread_id != 0
                                  ? g_strdup_printf(", thread %" G_GINT64_FORMAT, header->thread_id)
                                  : g_strdup("");
    return g_strdup_printf("%" G_GINT64_FORMAT "%s, parent %" G_GINT64_FORMAT "%s%s", header->pid,
                           thread, header->ppid, end ? ", " : "", end ? end : "");
}

static char *format_clock(const FcProfile *header)
{
    if (header->time_mode == 1 && header->ticks_per_second > 0)
        return g_strdup_printf("%s, %.1f MHz", time_mode_name(header->time_mode),
                               header->ticks_per_second / 1e6);
    return g_strdup(time_mode_name(header->time_mode));
}

static void add_run(FcTable *table, const FcModel *model)
{
    /* Inputs are usually of one session, so the first one speaks for all, except for the programs.
     */
    const GPtrArray *inputs = model->inputs;
    const FcProfile *first = ((const FcInput *)inputs->pdata[0])->header;
    g_autofree char *programs = fc_report_programs(model, FALSE);
    add(table, "Program", *programs != '\0' ? g_strdup(programs) : NULL);
    add(table, "Command line", format_command(first));
    add(table, "Directory", g_strdup(first->directory));
    add(table, "Started", format_start(first));
    add(table, "Time mode", format_clock(first));
    add(table, "Profile mode", g_strdup(profile_mode_name(first->profile_mode)));
    add(table, "Job", fc_job_text(model));
    add(table, "Session", g_strdup(first->unique_id));
    if (inputs->len == 1)
        add(table, "Process", format_process(first));
    else
        add(table, "Profiles", g_strdup_printf("%u files summed", inputs->len));
}

static char *format_run(const FcModel *model, guint64 run_ns)
{
    const FcProfile *first = ((const FcInput *)model->inputs->pdata[0])->header;
    gboolean own_clocks = first->time_mode > 2; /* cpu, sys */
    g_autofree char *run = g_strchomp(fc_format_time(run_ns));
    const char *sum = "";
    if (model->inputs->len > 1)
        sum = first->thread_id != 0 ? ", all threads" : ", all processes";
    if (own_clocks && model->profile->threads->len > model->inputs->len)
        return g_strdup_printf("%s of the thread with most%s", run, sum);
    return g_strdup_printf("%s from first to last event%s", run, sum);
}

static void add_amounts(FcTable *table, const FcModel *model)
{
    guint shown = 0;
    guint arcs;
    guint64 run_ns = 0;
    guint64 calls = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        shown += function->shown;
        calls += function->figures.calls;
    }
    for (guint i = 0; i < model->inputs->len; i++)
        run_ns += ((const FcInput *)model->inputs->pdata[i])->header->run_ns;
    fc_callgraph_arcs(model->graph, &arcs);
    g_autofree char *base = g_strchomp(fc_format_time(model->base_ns));
    add(table, "Total time", format_run(model, run_ns));
    add(table, "In functions",
        g_strdup_printf("%s, the local times of all functions%s", base,
                        model->profile->threads->len > 1 ? " in all threads" : ""));
    add(table, "Functions",
        g_strdup_printf("%u shown, %u hidden; %" G_GUINT64_FORMAT " call%s", shown,
                        model->functions->len - shown, calls, calls == 1 ? "" : "s"));
    add(table, "Arcs", g_strdup_printf("%u, from %u call sites", arcs, model->profile->arcs->len));
    if (model->profile->extended)
        add(table, "Contexts", fc_format_count(model->profile->contexts->len));
    if (model->profile->threads->len > 0)
        add(table, "Threads", fc_format_count(fc_profile_threads(model->profile)));
}

static void add_modules(FcTable *table, const FcReportContext *context)
{
    const GArray *modules = context->model->profile->modules;
    for (guint i = 0; i < modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(modules, FcProfileModule, i);
        const char *path = module->path[0] != '\0' ? module->path : "(unknown)";
        if (context->options->base_names)
            path = fc_base_name(path);
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x  %s", module->start, path);
        if (context->options->details && module->build_id)
            g_string_append_printf(text, "  build-id %s", module->build_id);
        if (module->unload_ns != G_MAXUINT64)
            g_string_append(text, "  (unloaded)");
        add(table, i == 0 ? "Libraries" : "", g_strdup(text->str));
    }
}

static void print_processes(const FcReportContext *context)
{
    static const FcColumn process_columns[] = {{NULL, "id", FALSE},
                                               {NULL, "parent", FALSE},
                                               {NULL, "run time", FALSE, .unit = "elapsed ns"},
                                               {NULL, "threads", FALSE},
                                               {NULL, "rank", FALSE},
                                               {NULL, "host", TRUE},
                                               {NULL, "program", TRUE},
                                               {NULL, "end", TRUE}};
    const GPtrArray *inputs = context->model->inputs;
    g_autoptr(FcTable) table = fc_table_new(process_columns, G_N_ELEMENTS(process_columns));
    if (fc_job_count_ranks(context->model) == 0)
    {
        fc_table_hide(table, RANK_COLUMN);
        fc_table_hide(table, RANK_COLUMN + 1);
    }
    for (guint i = 0; i < inputs->len; i++)
    {
        const FcInput *input = inputs->pdata[i];
        const FcProfile *header = input->header;
        const FcProfileJob *job = &header->job;
        const char *program = header->executable ? header->executable : input->path;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table,
                      g_strdup_printf("%" G_GINT64_FORMAT,
                                      header->thread_id != 0 ? header->thread_id : header->pid));
        fc_table_cell(table, g_strdup_printf("%" G_GINT64_FORMAT, header->ppid));
        fc_table_cell(table, fc_format_time(header->run_ns));
        fc_table_cell(table, fc_format_count(input->threads));
        fc_table_cell(table, job->rank != FC_NONE ? g_strdup_printf("%" G_GINT64_FORMAT, job->rank)
                                                  : NULL);
        fc_table_cell(table, g_strdup(job->host));
        fc_table_cell(table, header->processes > 1
                                 ? g_strdup_printf("%s (%" G_GUINT64_FORMAT " processes)",
                                                   fc_base_name(program), header->processes)
                                 : g_strdup(fc_base_name(program)));
        fc_table_cell(table, fc_report_end(header));
    }
    gboolean threads = ((const FcInput *)inputs->pdata[0])->header->thread_id != 0;
    fc_render_title(context->render, threads ? "Threads summed" : "Processes");
    fc_table_print(table, context->render);
}

static void render_info(const FcReportContext *context)
{
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    add_run(table, context->model);
    add_amounts(table, context->model);
    add_modules(table, context);
    fc_render_title(context->render, "General information");
    if (!fc_format_is_csv())
        fc_table_print(table, context->render);
    if (context->model->inputs->len > 1 || fc_format_is_csv())
        print_processes(context);
}

const FcReport fc_report_info = {"info", "the program and its run", FC_REPORT_CLASSIC, render_info};
