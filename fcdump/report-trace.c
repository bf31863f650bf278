/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The last calls of each thread, as FC_TRACE kept them: nested, with their durations, those of
 * several threads in the order of time.
 */
#include "fcdump/report.h"
#include "model/timeline.h"

#include <string.h>

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)

static const FcColumn columns[] = {
    {NULL, "time", FALSE, .unit = "elapsed ns"},
    {NULL, "duration", FALSE, .unit = "elapsed ns"},
    {NULL, "thread", FALSE},
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "level", FALSE, .reader = FC_READER_PROGRAM},
    {NULL, "call", TRUE},
};

/* A line: a call begins, or ends, or both if nothing is between. */
typedef struct
{
    const FcTimelineCall *call;
    guint64 time_ns;
    gint64 order;
    gboolean is_end;
    gboolean is_both;
} Line;

static int compare(gconstpointer a, gconstpointer b)
{
    const Line *x = a;
    const Line *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->call->thread != y->call->thread)
        return x->call->thread < y->call->thread ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->call->stack > y->call->stack) - (x->call->stack < y->call->stack);
}

static GArray *make_lines(const FcTimeline *timeline)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Line));
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));
    for (guint i = 0; i < timeline->calls->len; i++)
    {
        const FcTimelineCall *call = &g_array_index(timeline->calls, FcTimelineCall, i);
        const Line begin = {.call = call, .time_ns = call->begin_ns, .order = call->order};
        const Line end = {
            .call = call, .time_ns = call->end_ns, .order = call->end_order, .is_end = TRUE};
        g_array_append_val(all, begin);
        if (!call->is_open)
            g_array_append_val(all, end);
    }
    g_array_sort(all, compare);
    for (guint i = 0; i < all->len; i++)
    {
        Line line = g_array_index(all, Line, i);
        line.is_both = i + 1 < all->len && g_array_index(all, Line, i + 1).call == line.call;
        g_array_append_val(lines, line);
        i += line.is_both;
    }
    return lines;
}

static char *format_moment(guint64 ns)
{
    if (fc_format_is_csv())
        return fc_format_count(ns);
    return g_strdup_printf("%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, ns / NS_PER_S,
                           ns % NS_PER_S);
}

static char *format_thread(const FcReportContext *context, const FcTimelineCall *call)
{
    const FcProfileThread *thread =
        &g_array_index(context->model->profile->threads, FcProfileThread, call->thread);
    return call->stack == 0 ? g_strdup_printf("%" G_GINT64_FORMAT, thread->tid)
                            : g_strdup_printf("%" G_GINT64_FORMAT "/%u", thread->tid, call->stack);
}

static char *format_call(const FcReportContext *context, const Line *line)
{
    const FcTimelineCall *call = line->call;
    const char *name = fc_model_function(context->model, call->function)->label;
    if (fc_format_is_csv())
        return g_strdup(name);
    const char *parentheses = strchr(name, '(') ? "" : "()";
    g_autofree char *indent = g_strnfill(2 * (gsize)(call->level - 1), ' ');
    if (line->is_both)
        return g_strdup_printf("%s%s%s;%s", indent, name, parentheses,
                               call->is_early ? " /* called before */" : "");
    if (line->is_end)
        return g_strdup_printf("%s} /* %s */", indent, name);
    return g_strdup_printf("%s%s%s {%s%s", indent, name, parentheses,
                           call->is_early ? " /* called before */" : "",
                           call->is_open ? " /* did not return */" : "");
}

static char *format_duration(const Line *line)
{
    const FcTimelineCall *call = line->call;
    if (!line->is_end && !line->is_both)
        return NULL;
    char *time = fc_format_time(call->end_ns - MIN(call->begin_ns, call->end_ns));
    if (call->is_begin_known || fc_format_is_csv())
        return time;
    char *least = g_strconcat(">", time, NULL);
    g_free(time);
    return least;
}

/* Notes records that were not kept.  FALSE: there is no trace. */
static gboolean note_kept(const FcReportContext *context, const FcTimeline *timeline)
{
    guint64 kept = 0;
    guint64 all = 0;
    for (guint i = 0; i < context->model->profile->threads->len; i++)
    {
        const FcProfileThread *thread =
            &g_array_index(context->model->profile->threads, FcProfileThread, i);
        for (guint j = 0; thread->trace && j < thread->trace->len; j++)
            kept += g_array_index(thread->trace, FcProfileTraceRecord, j).kind != FC_TRACE_OPEN;
        all += thread->trace ? thread->trace_all : 0;
    }
    if (timeline->threads == 0)
    {
        fc_render_line(context->render, "There is no trace: run the program with FC_TRACE=RECORDS, "
                                        "say FC_TRACE=10000.");
        return FALSE;
    }
    fc_render_note(context->render,
                   "time: seconds since the start; of the %" G_GUINT64_FORMAT
                   " calls and returns these are of the last %" G_GUINT64_FORMAT ".",
                   all, kept);
    const FcInput *first = context->model->inputs->pdata[0];
    if (first->header->time_mode > 2)
        fc_render_note(context->render,
                       "Each thread has a clock of its own: only its own calls are in order.");
    return TRUE;
}

static void render_trace(const FcReportContext *context)
{
    const FcOptions *options = context->options;
    const FcTimelineFilter filter = {options->depth, fc_report_least_ns(context), options->last_ns};
    g_autoptr(FcTimeline) timeline = fc_timeline_new(context->model, &filter);
    fc_render_title(context->render, "Trace");
    if (!note_kept(context, timeline))
        return;
    g_autoptr(GArray) lines = make_lines(timeline);
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    const guint earlier = options->top > 0 ? lines->len - MIN(options->top, lines->len) : 0;
    for (guint i = earlier; i < lines->len; i++)
    {
        const Line *line = &g_array_index(lines, Line, i);
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, format_moment(line->time_ns));
        fc_table_cell(table, format_duration(line));
        fc_table_cell(table, format_thread(context, line->call));
        fc_table_cell(table, g_strdup(line->is_both  ? "call and return"
                                      : line->is_end ? "return"
                                                     : "call"));
        fc_table_cell(table, fc_format_count(line->call->level));
        fc_table_cell(table, format_call(context, line));
    }
    fc_table_print(table, context->render);
    if (earlier > 0)
        fc_render_note(context->render, "%u earlier row%s with --all.", earlier,
                       earlier > 1 ? "s" : "");
    if (timeline->calls->len < timeline->all)
        fc_render_note(context->render, "%u of %u calls are left out.",
                       timeline->all - timeline->calls->len, timeline->all);
}

const FcReport fc_report_trace = {"trace", NULL, FC_REPORT_OPTION, render_trace};
