/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The threads and the trace in the HTML export.
 */
#include "fcdump/export-html.h"
#include "fcdump/export-json.h"
#include "model/contention.h"
#include "model/timeline.h"

#include <stdlib.h>

enum
{
    FUNCTIONS_MAX = 20, /* of a thread: functions with most time on the CPU, */
    WAITS_MAX = 5,      /* and of the others, those that waited most */
    FRAMES_MAX = 60,    /* open at the thread's end: the innermost ones */
    CALLS_MAX = 100000, /* of the trace: the last ones */
    LANES_MAX = 400,    /* threads with lanes: those that ran most */
    CALLS_OF_ROLE = 2,  /* at most, of the function that a thread was started for */
};

typedef struct
{
    guint function; /* of the model */
    guint64 calls;
    FcProfileTimes times;
    FcProfileOff *off; /* owned */
    guint64 cpu_ns;
} Row;

static void row_clear(gpointer row)
{
    g_free(((Row *)row)->off);
}

/* Sums by function of the model: several functions of the profile may be one. */
static GArray *sum_functions(const FcModel *model, const FcProfileThread *thread)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
    g_array_set_clear_func(rows, row_clear);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *from =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        const guint function = model->function_of[from->function];
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, GUINT_TO_POINTER(function + 1)));
        if (at == 0)
        {
            const Row row = {.function = function};
            g_array_append_val(rows, row);
            at = rows->len;
            g_hash_table_insert(known, GUINT_TO_POINTER(function + 1), GUINT_TO_POINTER(at));
        }
        Row *row = &g_array_index(rows, Row, at - 1);
        row->calls += from->calls;
        row->times.total_ns += from->times.total_ns;
        row->times.local_ns += from->times.local_ns;
        row->times.local_wait_ns += from->times.local_wait_ns;
        fc_profile_add_off(&row->off, from->off);
        row->cpu_ns +=
            fc_export_html_cpu_ns(model, from->times.local_ns, from->times.local_wait_ns);
    }
    return rows;
}

/* ---- What a thread was started for ---------------------------------------------------------- */

static gboolean is_of_library(const FcModel *model, guint function)
{
    return g_str_has_prefix(fc_model_function(model, function)->name, "std::");
}

static int compare_total(gconstpointer a, gconstpointer b)
{
    const guint64 x = ((const Row *)a)->times.total_ns;
    const guint64 y = ((const Row *)b)->times.total_ns;
    return x != y ? (x < y) - (x > y)
                  : (((const Row *)a)->function > ((const Row *)b)->function) -
                        (((const Row *)a)->function < ((const Row *)b)->function);
}

/* The function that the thread was started for: the outermost one that has few calls and most of
 * the thread's time, and that at most half of the threads have; else the outermost.  Functions of
 * libraries are passed over.  FC_NONE: there is none. */
static gint find_role(const FcModel *model, const FcProfileThread *thread, const GArray *rows,
                      const guint *holders)
{
    g_autoptr(GArray) chain = g_array_copy((GArray *)rows);
    const guint threads = model->profile->threads->len;
    gint role = FC_NONE;
    g_array_sort(chain, compare_total);
    for (guint i = 0; i < chain->len && role == FC_NONE; i++)
    {
        const Row *row = &g_array_index(chain, Row, i);
        if (row->calls <= CALLS_OF_ROLE && row->times.total_ns > thread->run_ns / 2 &&
            2 * holders[row->function] <= threads && !is_of_library(model, row->function))
            role = (gint)row->function;
    }
    for (guint i = 0; i < chain->len && role == FC_NONE; i++)
        if (!is_of_library(model, g_array_index(chain, Row, i).function))
            role = (gint)g_array_index(chain, Row, i).function;
    return role;
}

/* ---- A thread ------------------------------------------------------------------------------- */

static int compare_cpu(gconstpointer a, gconstpointer b)
{
    const guint64 x = ((const Row *)a)->cpu_ns;
    const guint64 y = ((const Row *)b)->cpu_ns;
    return (x < y) - (x > y);
}

static int compare_waits(gconstpointer a, gconstpointer b)
{
    const guint64 x = ((const Row *)a)->times.local_wait_ns;
    const guint64 y = ((const Row *)b)->times.local_wait_ns;
    return (x < y) - (x > y);
}

static void put_row(FcJson *json, const Row *row)
{
    fc_json_begin_array(json, NULL);
    fc_json_unsigned(json, NULL, row->function);
    fc_json_unsigned(json, NULL, row->calls);
    fc_json_unsigned(json, NULL, row->times.local_ns);
    fc_json_unsigned(json, NULL, row->cpu_ns);
    fc_json_unsigned(json, NULL, row->times.local_wait_ns);
    fc_export_html_off(json, &row->times, row->off);
    fc_json_end_array(json);
}

static void put_functions(FcJson *json, GArray *rows)
{
    const guint first = MIN(rows->len, FUNCTIONS_MAX);
    g_array_sort(rows, compare_cpu);
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < first; i++)
        put_row(json, &g_array_index(rows, Row, i));
    g_array_remove_range(rows, 0, first);
    g_array_sort(rows, compare_waits);
    for (guint i = 0; i < MIN(rows->len, WAITS_MAX); i++)
        put_row(json, &g_array_index(rows, Row, i));
    fc_json_end_array(json);
}

static guint64 cpu_of(const GArray *rows)
{
    guint64 cpu_ns = 0;
    for (guint i = 0; i < rows->len; i++)
        cpu_ns += g_array_index(rows, Row, i).cpu_ns;
    return cpu_ns;
}

static void put_stack(const FcModel *model, FcJson *json, const FcProfileThread *thread)
{
    fc_json_begin_array(json, "open");
    for (guint i = thread->stack->len; i-- > 0 && thread->stack->len - i <= FRAMES_MAX;)
        fc_json_unsigned(
            json, NULL,
            model->function_of[g_array_index(thread->stack, FcProfileFrame, i).function]);
    fc_json_end_array(json);
}

typedef struct
{
    guint64 cpu_ns;
    guint index;
} Busy;

static int compare_busy(gconstpointer a, gconstpointer b)
{
    const Busy *x = a;
    const Busy *y = b;
    if (x->cpu_ns != y->cpu_ns)
        return x->cpu_ns < y->cpu_ns ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* By thread, whether it has a lane.  `rows`: each thread's functions.  The caller frees the result.
 */
static gboolean *choose_lanes(const GPtrArray *rows)
{
    g_autofree Busy *threads = g_new(Busy, rows->len + 1);
    gboolean *has_lane = g_new0(gboolean, rows->len + 1);
    for (guint i = 0; i < rows->len; i++)
        threads[i] = (Busy){cpu_of(rows->pdata[i]), i};
    qsort(threads, rows->len, sizeof *threads, compare_busy);
    for (guint i = 0; i < MIN(rows->len, LANES_MAX); i++)
        has_lane[threads[i].index] = TRUE;
    return has_lane;
}

static void put_thread(const FcReportContext *context, FcJson *json, guint index, guint64 start_ns,
                       GArray *rows, const guint *holders, gboolean has_lane)
{
    const FcModel *model = context->model;
    const FcProfileThread *thread = &g_array_index(model->profile->threads, FcProfileThread, index);
    fc_json_begin_object(json, NULL);
    fc_export_json_thread_run(json, thread);
    fc_json_unsigned(json, "process_ns", start_ns);
    fc_json_boolean(json, "ended", thread->ended);
    fc_json_boolean(json, "has_waits", thread->waits != FC_WAITS_UNKNOWN);
    fc_json_boolean(json, "idle",
                    thread->waits != FC_WAITS_UNKNOWN && thread->run_ns > 0 &&
                        fc_contention_is_idle(thread));
    fc_json_unsigned(json, "wait_ns", thread->wait_ns);
    fc_json_unsigned(json, "preempted_ns", MIN(thread->preempted_ns, thread->wait_ns));
    fc_json_unsigned(json, "manager_ns", thread->manager_ns);
    fc_json_unsigned(json, "local_ns", fc_report_thread_local_ns(thread));
    fc_json_unsigned(json, "local_cpu_ns", cpu_of(rows));
    fc_json_boolean(json, "has_lane", has_lane);
    if (has_lane)
        fc_export_json_lanes(json, thread);
    fc_json_signed(json, "role", find_role(model, thread, rows, holders));
    put_stack(model, json, thread);
    put_functions(json, rows);
    fc_json_end_object(json);
}

/* ---- The trace ------------------------------------------------------------------------------ */

static int compare_end(gconstpointer a, gconstpointer b)
{
    const guint64 x = ((const FcTimelineCall *)a)->end_ns;
    const guint64 y = ((const FcTimelineCall *)b)->end_ns;
    return (x < y) - (x > y);
}

static int compare_begin(gconstpointer a, gconstpointer b)
{
    const FcTimelineCall *x = a;
    const FcTimelineCall *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Arrays by call, whose members page/trace.js names. */
static void put_trace(const FcReportContext *context, FcJson *json, FcTimeline *timeline)
{
    GArray *calls = timeline->calls;
    const guint omitted = calls->len - MIN(calls->len, CALLS_MAX);
    if (timeline->threads == 0)
    {
        fc_json_null(json, "trace");
        return;
    }
    g_array_sort(calls, compare_end);
    g_array_set_size(calls, calls->len - omitted);
    g_array_sort(calls, compare_begin);
    fc_json_begin_object(json, "trace");
    fc_json_unsigned(json, "all", timeline->all);
    fc_json_unsigned(json, "omitted", omitted);
    fc_json_unsigned(json, "end_ns", timeline->end_ns);
    fc_json_begin_array(json, "calls");
    for (guint i = 0; i < calls->len; i++)
    {
        const FcTimelineCall *call = &g_array_index(calls, FcTimelineCall, i);
        fc_json_begin_array(json, NULL);
        fc_json_unsigned(json, NULL, call->thread);
        fc_json_unsigned(json, NULL, call->function);
        fc_json_unsigned(json, NULL, call->level);
        fc_json_unsigned(json, NULL, call->stack);
        fc_json_unsigned(json, NULL, call->begin_ns);
        fc_json_unsigned(json, NULL, MAX(call->begin_ns, call->end_ns));
        fc_json_unsigned(json, NULL, (call->is_open ? 1 : 0) + (call->is_early ? 2 : 0));
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
    fc_json_end_object(json);
}

void fc_export_html_threads(const FcReportContext *context, FcJson *json)
{
    const FcOptions *options = context->options;
    const FcModel *model = context->model;
    const GArray *threads = model->profile->threads;
    const FcTimelineFilter filter = {options->depth == FC_DEPTH_DEFAULT ? 0 : options->depth,
                                     fc_report_least_ns(context), options->last_ns};
    g_autoptr(FcTimeline) timeline = fc_timeline_new(model, &filter);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autofree guint *holders = g_new0(guint, model->functions->len + 1);
    for (guint i = 0; i < threads->len; i++)
    {
        GArray *of_thread = sum_functions(model, &g_array_index(threads, FcProfileThread, i));
        g_ptr_array_add(rows, of_thread);
        for (guint r = 0; r < of_thread->len; r++)
            holders[g_array_index(of_thread, Row, r).function]++;
    }
    g_autofree gboolean *has_lane = choose_lanes(rows);
    fc_json_begin_array(json, "threads");
    for (guint i = 0; i < threads->len; i++)
        put_thread(context, json, i, timeline->start_ns[i], rows->pdata[i], holders, has_lane[i]);
    fc_json_end_array(json);
    put_trace(context, json, timeline);
}
