/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The trace as Chrome's trace events (JSON object format), which Perfetto and others show as a time
 * line: a track for each thread, and for each further stack that it ran on.
 */
#include "fcdump/export.h"
#include "fcdump/json.h"
#include "model/timeline.h"

/* Tracks of stacks that are not the threads' own get numbers that no thread can have (Linux has at
 * most 2^22), below 2^32, as Perfetto takes a greater one for the process's first thread. */
#define STACK_TRACKS (G_GINT64_CONSTANT(1) << 30)

typedef struct
{
    const FcReportContext *context;
    const FcTimeline *timeline;
    FcJson *json;
    GHashTable *tracks; /* thread, stack -> track + 1 */
} Chrome;

static const FcProfileThread *thread_of(const Chrome *chrome, guint thread)
{
    return &g_array_index(chrome->context->model->profile->threads, FcProfileThread, thread);
}

static void begin_event(const Chrome *chrome, const char *phase, const char *name, guint thread,
                        gint64 track)
{
    fc_json_begin_object(chrome->json, NULL);
    fc_json_string(chrome->json, "ph", phase);
    fc_json_string(chrome->json, "name", name);
    fc_json_signed(chrome->json, "pid", chrome->timeline->input_of[thread]->header->pid);
    fc_json_signed(chrome->json, "tid", track);
}

static void put_name(const Chrome *chrome, const char *what, guint thread, gint64 track,
                     const char *name)
{
    begin_event(chrome, "M", what, thread, track);
    fc_json_begin_object(chrome->json, "args");
    fc_json_string(chrome->json, "name", name);
    fc_json_end_object(chrome->json);
    fc_json_end_object(chrome->json);
}

/* The number of the call's track.  Writes the track's name when it is used for the first time. */
static gint64 track_of(const Chrome *chrome, const FcTimelineCall *call)
{
    const FcProfileThread *thread = thread_of(chrome, call->thread);
    const gpointer key = GSIZE_TO_POINTER((gsize)call->thread << 32 | call->stack);
    const guint known = GPOINTER_TO_UINT(g_hash_table_lookup(chrome->tracks, key));
    const guint number = known != 0 ? known : g_hash_table_size(chrome->tracks) + 1;
    const gint64 track = call->stack == 0 ? thread->tid : STACK_TRACKS + number;
    if (known != 0)
        return track;
    g_hash_table_insert(chrome->tracks, key, GUINT_TO_POINTER(number));
    const FcProfile *process = chrome->timeline->input_of[call->thread]->header;
    g_autofree char *program = g_path_get_basename(process->executable ? process->executable : "?");
    g_autofree char *name =
        call->stack == 0
            ? g_strdup(thread->name ? thread->name : program)
            : g_strdup_printf("%s, stack %u", thread->name ? thread->name : program, call->stack);
    g_autofree char *named =
        process->job.rank != FC_NONE
            ? g_strdup_printf("rank %" G_GINT64_FORMAT ": %s", process->job.rank, program)
            : g_strdup(program);
    put_name(chrome, "process_name", call->thread, track, named);
    put_name(chrome, "thread_name", call->thread, track, name);
    return track;
}

/* ---- Beginnings and ends ---------------------------------------------------------------- */

/* A beginning or an end.  Not one event with a duration: viewers compute the end in floating point,
 * and a call that seems to outlast its caller moves to another track. */
typedef struct
{
    const FcTimelineCall *call;
    gint64 order;
    gboolean is_end;
} Event;

static int compare(gconstpointer a, gconstpointer b)
{
    const Event *x = a;
    const Event *y = b;
    if (x->call->thread != y->call->thread)
        return x->call->thread < y->call->thread ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->call->stack > y->call->stack) - (x->call->stack < y->call->stack);
}

/* A call that did not return has no end, which viewers know. */
static GArray *make_events(const FcTimeline *timeline)
{
    GArray *events = g_array_new(FALSE, FALSE, sizeof(Event));
    for (guint i = 0; i < timeline->calls->len; i++)
    {
        const FcTimelineCall *call = &g_array_index(timeline->calls, FcTimelineCall, i);
        const Event begin = {call, call->order, FALSE};
        const Event end = {call, call->end_order, TRUE};
        g_array_append_val(events, begin);
        if (!call->is_open)
            g_array_append_val(events, end);
    }
    g_array_sort(events, compare);
    return events;
}

/* In microseconds.  Perfetto truncates to nanoseconds, and a floating-point number may be slightly
 * too small.  With a tenth of a nanosecond more, truncation and rounding give the right value. */
static double to_us(gint64 ns)
{
    return ns % 1000 == 0 ? (double)(ns / 1000) : ((double)ns + 0.1) / 1000;
}

static void put_event(const Chrome *chrome, const Event *event)
{
    const FcTimelineCall *call = event->call;
    const gint64 track = track_of(chrome, call);
    begin_event(chrome, event->is_end ? "E" : "B",
                fc_model_function(chrome->context->model, call->function)->name, call->thread,
                track);
    fc_json_string(chrome->json, "cat", "function");
    fc_json_double(chrome->json, "ts",
                   to_us(event->is_end ? MAX(call->begin_ns, call->end_ns) : call->begin_ns));
    if (call->is_early) /* in both events: speedscope makes it part of the name */
    {
        fc_json_begin_object(chrome->json, "args");
        fc_json_string(chrome->json, "called",
                       call->is_begin_known ? "before the first record" : "unknown");
        fc_json_end_object(chrome->json);
    }
    fc_json_end_object(chrome->json);
}

static void render_chrome(const FcReportContext *context)
{
    const FcOptions *options = context->options;
    const guint levels = options->depth == FC_DEPTH_DEFAULT ? 0 : options->depth;
    const FcTimelineFilter filter = {levels, fc_report_least_ns(context), options->last_ns};
    g_autoptr(FcTimeline) timeline = fc_timeline_new(context->model, &filter);
    g_autoptr(FcJson) json = fc_json_new(fc_render_file(context->render));
    g_autoptr(GHashTable) tracks = g_hash_table_new(NULL, NULL);
    const Chrome chrome = {context, timeline, json, tracks};
    fc_json_begin_object(json, NULL);
    /* Catapult rounds times to this unit before it nests calls.  Perfetto no longer uses it
     * (google/perfetto#274). */
    fc_json_string(json, "displayTimeUnit", "ns");
    fc_json_begin_array(json, "traceEvents");
    g_autoptr(GArray) events = make_events(timeline);
    for (guint i = 0; i < events->len; i++)
        put_event(&chrome, &g_array_index(events, Event, i));
    fc_json_end_array(json);
    fc_json_end_object(json);
    if (timeline->threads == 0)
        fc_export_note(context, "--chrome: there is no trace: run the program with FC_TRACE");
    fc_export_note_lost(context, "chrome",
                        FC_LOST_CONTEXTS | FC_LOST_CALLS | FC_LOST_SITES | FC_LOST_BOUNDS |
                            FC_LOST_MEMORY | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_chrome = {"chrome",
                                   "the trace (FC_TRACE), for Perfetto and chrome://tracing",
                                   FC_REPORT_FILE, render_chrome};
