/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls from records; see timeline.h.
 */
#include "model/timeline.h"

/* Calls from before the first record come before all others, ordered by depth. */
#define EARLY_ORDER (-(G_GINT64_CONSTANT(1) << 40))

typedef struct
{
    const FcModel *model;
    FcTimeline *timeline;
    guint thread;
    guint64 offset_ns; /* start of its process, from that of the first */
    guint64 first_ns;  /* time of its first record */
    GArray *calls;     /* FcTimelineCall: of this thread */
    GHashTable *open;  /* stack, depth -> call + 1 */
} Reader;

static const FcProfileThread *thread_at(const FcModel *model, guint index)
{
    return &g_array_index(model->profile->threads, FcProfileThread, index);
}

static gpointer key_of(guint stack, guint depth)
{
    return GSIZE_TO_POINTER((gsize)stack << 32 | depth);
}

static FcTimelineCall *add_call(Reader *reader, const FcProfileTraceRecord *record, gint64 order)
{
    const FcTimelineCall call = {.thread = reader->thread,
                                 .function = reader->model->function_of[record->function],
                                 .stack = record->stack,
                                 .depth = record->depth,
                                 .begin_ns = reader->offset_ns + record->time_ns,
                                 .order = order,
                                 .is_begin_known = TRUE,
                                 .is_open = TRUE};
    g_array_append_val(reader->calls, call);
    return &g_array_index(reader->calls, FcTimelineCall, reader->calls->len - 1);
}

/* Returns the call that the record ends, or that it reports as still open.  If there is none, adds
 * one from before the first record. */
static FcTimelineCall *find_call(Reader *reader, const FcProfileTraceRecord *record)
{
    const gpointer key = key_of(record->stack, record->depth);
    const guint open = GPOINTER_TO_UINT(g_hash_table_lookup(reader->open, key));
    g_hash_table_remove(reader->open, key);
    if (open != 0)
    {
        FcTimelineCall *call = &g_array_index(reader->calls, FcTimelineCall, open - 1);
        if (call->function == reader->model->function_of[record->function])
            return call;
    }
    FcTimelineCall *call = add_call(reader, record, EARLY_ORDER + record->depth);
    call->is_early = TRUE;
    call->is_begin_known = record->begun_ns != FC_TRACE_UNKNOWN;
    call->begin_ns =
        reader->offset_ns + (call->is_begin_known ? record->begun_ns : reader->first_ns);
    return call;
}

static void take_record(Reader *reader, const FcProfileTraceRecord *record, gint64 order)
{
    if (record->kind == FC_TRACE_CALL)
    {
        add_call(reader, record, order);
        g_hash_table_replace(reader->open, key_of(record->stack, record->depth),
                             GUINT_TO_POINTER(reader->calls->len));
        return;
    }
    FcTimelineCall *call = find_call(reader, record);
    call->is_open = record->kind == FC_TRACE_OPEN;
    call->end_ns = reader->offset_ns + record->time_ns;
    call->end_order = order;
}

static int compare(gconstpointer a, gconstpointer b)
{
    const FcTimelineCall *x = a;
    const FcTimelineCall *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* A call from before the first record began no later than the calls within it.  This bounds its
 * start if that is not known, as in a forked child. */
static void bound_early(Reader *reader)
{
    g_hash_table_remove_all(reader->open); /* now: stack -> early call one deeper, + 1 */
    for (guint i = reader->calls->len; i-- > 0;)
    {
        FcTimelineCall *call = &g_array_index(reader->calls, FcTimelineCall, i);
        const gpointer key = key_of(call->stack, 0);
        if (!call->is_early)
            continue;
        const guint inner = GPOINTER_TO_UINT(g_hash_table_lookup(reader->open, key));
        if (inner != 0 && !call->is_begin_known)
            call->begin_ns = MIN(call->begin_ns,
                                 g_array_index(reader->calls, FcTimelineCall, inner - 1).begin_ns);
        g_hash_table_replace(reader->open, key, GUINT_TO_POINTER(i + 1));
    }
}

/* ---- What is wanted ----------------------------------------------------------- */

static gboolean is_wanted(const Reader *reader, const FcTimelineFilter *filter,
                          const FcTimelineCall *call)
{
    const guint64 end_ns = reader->timeline->end_ns;
    if (!fc_model_function(reader->model, call->function)->shown)
        return FALSE;
    if (!call->is_open && call->end_ns - MIN(call->begin_ns, call->end_ns) < filter->min_ns)
        return FALSE;
    return filter->last_ns == 0 || filter->last_ns >= end_ns ||
           call->end_ns >= end_ns - filter->last_ns;
}

/* Returns the depths (guint) of the wanted calls that are open on that stack.  `levels` owns the
 * result. */
static GArray *levels_of(GHashTable *levels, guint stack)
{
    GArray *depths = g_hash_table_lookup(levels, GUINT_TO_POINTER(stack));
    if (!depths)
    {
        depths = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(levels, GUINT_TO_POINTER(stack), depths);
    }
    return depths;
}

static void filter_calls(Reader *reader, const FcTimelineFilter *filter)
{
    g_autoptr(GHashTable) levels =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < reader->calls->len; i++)
    {
        FcTimelineCall *call = &g_array_index(reader->calls, FcTimelineCall, i);
        if (call->is_open)
        {
            call->end_ns = reader->timeline->end_ns;
            call->end_order = G_MAXINT64;
        }
        GArray *depths = levels_of(levels, call->stack);
        while (depths->len > 0 && g_array_index(depths, guint, depths->len - 1) >= call->depth)
            g_array_set_size(depths, depths->len - 1);
        if (!is_wanted(reader, filter, call))
            continue;
        g_array_append_val(depths, call->depth);
        call->level = depths->len;
        if (filter->levels == 0 || call->level <= filter->levels)
            g_array_append_val(reader->timeline->calls, *call);
    }
}

/* ---- The whole ---------------------------------------------------------------- */

/* Finds the process of each thread, and when it began. */
static void find_inputs(const FcModel *model, FcTimeline *timeline)
{
    const guint count = model->profile->threads->len;
    gint64 first_ns = G_MAXINT64;
    guint thread = 0;
    timeline->start_ns = g_new0(guint64, count + 1);
    timeline->input_of = g_new0(const FcInput *, count + 1);
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        first_ns = MIN(first_ns, input->header->start_realtime_ns);
        for (guint j = 0; j < input->threads && thread < count; j++)
            timeline->input_of[thread++] = input;
    }
    for (guint i = 0; i < thread; i++)
        timeline->start_ns[i] =
            (guint64)(timeline->input_of[i]->header->start_realtime_ns - first_ns);
}

static void find_end(const FcModel *model, FcTimeline *timeline)
{
    for (guint i = 0; i < model->profile->threads->len; i++)
    {
        const GArray *trace = thread_at(model, i)->trace;
        if (!trace || trace->len == 0)
            continue;
        const guint64 last_ns = g_array_index(trace, FcProfileTraceRecord, trace->len - 1).time_ns;
        timeline->end_ns = MAX(timeline->end_ns, timeline->start_ns[i] + last_ns);
        timeline->threads++;
    }
}

static void read_thread(Reader *reader, guint thread, const FcTimelineFilter *filter)
{
    const GArray *trace = thread_at(reader->model, thread)->trace;
    if (!trace || trace->len == 0)
        return;
    reader->thread = thread;
    reader->offset_ns = reader->timeline->start_ns[thread];
    reader->first_ns = g_array_index(trace, FcProfileTraceRecord, 0).time_ns;
    g_array_set_size(reader->calls, 0);
    g_hash_table_remove_all(reader->open);
    for (guint i = 0; i < trace->len; i++)
        take_record(reader, &g_array_index(trace, FcProfileTraceRecord, i), i);
    g_array_sort(reader->calls, compare);
    bound_early(reader);
    reader->timeline->all += reader->calls->len;
    filter_calls(reader, filter);
}

FcTimeline *fc_timeline_new(const FcModel *model, const FcTimelineFilter *filter)
{
    FcTimeline *timeline = g_new0(FcTimeline, 1);
    timeline->calls = g_array_new(FALSE, FALSE, sizeof(FcTimelineCall));
    find_inputs(model, timeline);
    find_end(model, timeline);
    g_autoptr(GArray) calls = g_array_new(FALSE, FALSE, sizeof(FcTimelineCall));
    g_autoptr(GHashTable) open = g_hash_table_new(NULL, NULL);
    Reader reader = {.model = model, .timeline = timeline, .calls = calls, .open = open};
    for (guint i = 0; i < model->profile->threads->len; i++)
        read_thread(&reader, i, filter);
    return timeline;
}

void fc_timeline_free(FcTimeline *timeline)
{
    if (!timeline)
        return;
    g_array_unref(timeline->calls);
    g_free(timeline->start_ns);
    g_free(timeline->input_of);
    g_free(timeline);
}
