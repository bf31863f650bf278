/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The threads in the JSON export: their figures, their functions, what was open in the end, and the
 * trace.  Called by export-json.c.
 */
#include "fcdump/export-json.h"

static void put_function(const FcReportContext *context, FcJson *json, guint profile_function)
{
    fc_json_unsigned(json, "function", context->model->function_of[profile_function]);
}

static void put_functions(const FcReportContext *context, FcJson *json,
                          const FcProfileThread *thread)
{
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        fc_json_begin_object(json, NULL);
        put_function(context, json, function->function);
        fc_json_unsigned(json, "calls", function->calls);
        fc_export_json_cpu(context, json, &function->times, TRUE);
        fc_json_unsigned(json, "total_ns", function->times.total_ns);
        fc_json_unsigned(json, "local_ns", function->times.local_ns);
        fc_export_json_raw(json, "raw_total_ns", function->times.total_ns,
                           function->times.total_cost_ns);
        fc_export_json_raw(json, "raw_local_ns", function->times.local_ns,
                           function->times.local_cost_ns);
        fc_json_unsigned(json, "total_wait_ns", function->times.total_wait_ns);
        fc_json_unsigned(json, "local_wait_ns", function->times.local_wait_ns);
        fc_export_json_off(json, &function->times, function->off);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_stack(const FcReportContext *context, FcJson *json, const FcProfileThread *thread)
{
    fc_json_begin_array(json, "stack");
    for (guint i = 0; i < thread->stack->len; i++)
    {
        const FcProfileFrame *frame = &g_array_index(thread->stack, FcProfileFrame, i);
        fc_json_begin_object(json, NULL);
        put_function(context, json, frame->function);
        fc_export_json_site(context, json, "site", &frame->site);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static guint lane_count(const FcProfileThread *thread)
{
    const guint64 life_ns = thread->end_ns - MIN(thread->lane_start_ns, thread->end_ns);
    guint64 count = life_ns / thread->lane_ns + (life_ns % thread->lane_ns > 0);
    for (guint i = 0; thread->lanes && i < thread->lanes->len; i++)
        count = MAX(count, g_array_index(thread->lanes, FcProfileLane, i).bucket + 1u);
    return (guint)MIN(count, FC_LANE_BUCKETS);
}

static void put_numbers(FcJson *json, const char *name, const guint64 *numbers, guint count)
{
    fc_json_begin_array(json, name);
    for (guint i = 0; i < count; i++)
        fc_json_unsigned(json, NULL, numbers[i]);
    fc_json_end_array(json);
}

void fc_export_json_lanes(FcJson *json, const FcProfileThread *thread)
{
    guint64 blocked_ns[FC_LANE_BUCKETS] = {0};
    guint64 preempted_ns[FC_LANE_BUCKETS] = {0};
    if (thread->lane_ns == 0)
    {
        fc_json_null(json, "lanes");
        return;
    }
    for (guint i = 0; thread->lanes && i < thread->lanes->len; i++)
    {
        const FcProfileLane *lane = &g_array_index(thread->lanes, FcProfileLane, i);
        preempted_ns[lane->bucket] = MIN(lane->preempted_ns, lane->wait_ns);
        blocked_ns[lane->bucket] = lane->wait_ns - preempted_ns[lane->bucket];
    }
    const guint count = lane_count(thread);
    fc_json_begin_object(json, "lanes");
    fc_json_unsigned(json, "start_ns", thread->lane_start_ns);
    fc_json_unsigned(json, "width_ns", thread->lane_ns);
    put_numbers(json, "blocked_ns", blocked_ns, count);
    put_numbers(json, "preempted_ns", preempted_ns, count);
    fc_json_end_object(json);
}

static void put_trace(const FcReportContext *context, FcJson *json, const FcProfileThread *thread)
{
    static const char *const kinds[FC_TRACE_KINDS] = {
        [FC_TRACE_CALL] = "call", [FC_TRACE_RETURN] = "return", [FC_TRACE_OPEN] = "open"};
    if (!thread->trace)
    {
        fc_json_null(json, "trace");
        return;
    }
    fc_json_begin_object(json, "trace");
    fc_json_unsigned(json, "made", thread->trace_all);
    fc_json_begin_array(json, "records");
    for (guint i = 0; i < thread->trace->len; i++)
    {
        const FcProfileTraceRecord *record = &g_array_index(thread->trace, FcProfileTraceRecord, i);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "kind", kinds[record->kind]);
        fc_json_unsigned(json, "time_ns", record->time_ns);
        put_function(context, json, record->function);
        fc_json_unsigned(json, "on_stack", record->stack);
        fc_json_unsigned(json, "depth", record->depth);
        if (record->begun_ns != FC_TRACE_UNKNOWN)
            fc_json_unsigned(json, "begun_ns", record->begun_ns);
        else
            fc_json_null(json, "begun_ns");
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
    fc_json_end_object(json);
}

void fc_export_json_thread_run(FcJson *json, const FcProfileThread *thread)
{
    fc_json_signed(json, "tid", thread->tid);
    fc_json_string(json, "name", thread->name);
    fc_json_unsigned(json, "start_ns", thread->start_ns);
    fc_json_unsigned(json, "end_ns", thread->end_ns);
    fc_json_unsigned(json, "run_ns", thread->run_ns);
    fc_json_unsigned(json, "calls", thread->calls);
}

void fc_export_json_thread(const FcReportContext *context, FcJson *json,
                           const FcProfileThread *thread)
{
    static const char *const waits[] = {
        [FC_WAITS_UNKNOWN] = NULL, [FC_WAITS_SEEN] = "seen", [FC_WAITS_COARSE] = "coarse"};
    fc_json_begin_object(json, NULL);
    fc_export_json_thread_run(json, thread);
    fc_json_boolean(json, "ended", thread->ended);
    fc_json_string(json, "waits", waits[thread->waits]);
    fc_json_unsigned(json, "wait_ns", thread->wait_ns);
    fc_json_unsigned(json, "preempted_ns", thread->preempted_ns);
    fc_json_unsigned(json, "manager_ns", thread->manager_ns);
    put_functions(context, json, thread);
    put_stack(context, json, thread);
    fc_export_json_lanes(json, thread);
    put_trace(context, json, thread);
    fc_json_end_object(json);
}
