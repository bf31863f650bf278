/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One profiled process: see process.h.
 */
#include "fcmanager/process.h"

#include <string.h>
#include <time.h>

/* Rows of functions, stacks and threads in a process's thread section. */
#define ROWS_MAX 262144u

static void row_clear(gpointer data)
{
    FcThreadRow *row = data;
    g_free(row->name);
    g_array_unref(row->functions);
    g_array_unref(row->stack);
}

static void note_clear(gpointer data)
{
    g_free(((FcProfileNote *)data)->kind);
}

static GArray *notes_new(void)
{
    GArray *notes = g_array_new(FALSE, TRUE, sizeof(FcProfileNote));
    g_array_set_clear_func(notes, note_clear);
    return notes;
}

static gboolean has_one_clock(const FcProcess *process)
{
    return process->setup->clock.mode == FC_TIME_TSC || process->setup->clock.mode == FC_TIME_EXT;
}

static FcCounts *counts_new(FcProcess *process, gboolean first)
{
    static const FcCountsSizes least = {0, 0, 0};
    FcCounts *counts = fc_counts_new(process->modules, first ? &process->setup->sizes : &least);
    if (process->setup->node_limit != 0)
        counts->node_limit = process->setup->node_limit;
    counts->contexts_in_use = process->setup->contexts_in_use;
    return counts;
}

FcProcess *fc_process_new(const FcProcessSetup *setup, guint64 key, const struct FcHello *hello,
                          const FcProcess *parent)
{
    FcProcess *process = g_new0(FcProcess, 1);
    process->setup = setup;
    process->key = key;
    process->hello = *hello;
    process->end_time = hello->start_time;
    process->modules = parent != NULL ? fc_modules_copy(parent->modules) : fc_modules_new();
    process->regions = parent != NULL ? fc_regions_copy(parent->regions) : fc_regions_new();
    if (parent != NULL)
    {
        process->executable = g_strdup(parent->executable);
        process->directory = g_strdup(parent->directory);
        process->command_line = g_strdupv(parent->command_line);
    }
    process->counts = counts_new(process, FALSE);
    if (setup->memory && (hello->flags & FC_HELLO_NO_MEMORY) == 0)
    {
        process->heap = fc_heap_new(process->counts, hello->start_time, setup->memory_blocks);
        process->heap_order = fc_heap_order_new(process->heap, !setup->shared);
    }
    process->threads = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)fc_thread_free);
    process->rows = g_array_new(FALSE, TRUE, sizeof(FcThreadRow));
    g_array_set_clear_func(process->rows, row_clear);
    process->row_budget = ROWS_MAX;
    process->repairs = notes_new();
    process->losses = notes_new();
    return process;
}

void fc_process_free(FcProcess *process)
{
    if (process == NULL)
        return;
    g_hash_table_unref(process->threads);
    fc_live_free(process->live);
    fc_heap_thread_free(process->late);
    fc_heap_order_free(process->heap_order);
    fc_heap_free(process->heap);
    fc_counts_free(process->counts);
    fc_counts_free(process->first_counts);
    g_free(process->first_row.name);
    fc_modules_free(process->modules);
    fc_regions_free(process->regions);
    g_array_unref(process->rows);
    g_free(process->executable);
    g_free(process->directory);
    g_strfreev(process->command_line);
    g_array_unref(process->repairs);
    g_array_unref(process->losses);
    g_free(process);
}

void fc_process_shrink(FcProcess *process)
{
    g_clear_pointer(&process->late, fc_heap_thread_free);
    g_clear_pointer(&process->heap_order, fc_heap_order_free);
    g_clear_pointer(&process->heap, fc_heap_free);
    fc_counts_free(process->counts);
    process->counts = NULL;
    g_array_set_size(process->rows, 0);
}

/* ---- Threads ---------------------------------------------------------------------- */

static FcThread *get_thread(FcProcess *process, guint32 number)
{
    FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(number));
    if (thread != NULL)
        return thread;
    gboolean first = process->rows->len == 0 && g_hash_table_size(process->threads) == 0;
    FcCounts *counts = counts_new(process, first);
    FcStack *stack = fc_stack_new(counts, fc_clock_multiplier(&process->setup->clock),
                                  first ? process->setup->sizes.frames : 0);
    fc_stack_set_regions(stack, process->regions);
    thread = fc_thread_new(number, counts, stack, process->setup->shared);
    if (process->heap != NULL)
        thread->heap = fc_heap_thread_new(process->heap_order, counts);
    fc_stack_set_heap(stack, thread->heap);
    g_hash_table_insert(process->threads, GUINT_TO_POINTER(number), thread);
    return thread;
}

static void note(GArray *notes, const char *kind, guint64 count)
{
    if (count > 0)
        fc_profile_note(notes, kind, count);
}

static void add_notes(FcProcess *process, const FcThread *thread)
{
    const FcCountsRepairs *repairs = &thread->counts->repairs;
    note(process->repairs, "jump", repairs->jumps);
    note(process->repairs, "missed-exit", repairs->missed_exits);
    note(process->repairs, "unmatched-exit", repairs->unmatched_exits);
    note(process->losses, "bad-record", repairs->bad_records);
    note(process->repairs, "gaps", thread->gaps);
    note(process->repairs, "contexts-folded", thread->counts->contexts_folded);
}

/* The thread's figures, function by function, with the numbers that `map` gives them. */
static void add_row_functions(FcProcess *process, FcThreadRow *row, const FcCounts *counts,
                              const guint32 *map)
{
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        const FcCountsFunction *function = &counts->functions[i];
        row->calls += function->calls;
        if (process->row_budget == 0)
            continue;
        process->row_budget--;
        FcProfileThreadFunction entry = {map[i], function->calls, function->total, function->local};
        g_array_append_val(row->functions, entry);
    }
    for (guint i = 0; i < row->stack->len; i++)
    {
        FcProfileFrame *frame = &g_array_index(row->stack, FcProfileFrame, i);
        frame->function = map[frame->function];
    }
}

static FcThreadRow make_row(FcProcess *process, FcThread *thread, gboolean ended)
{
    FcThreadRow row = {.tid = thread->tid, .number = thread->number, .ended = ended};
    row.name = g_steal_pointer(&thread->name);
    row.functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
    row.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    fc_stack_final_frames(thread->stack, process->row_budget, row.stack);
    process->row_budget -= row.stack->len;
    return row;
}

static guint64 first_event(const FcProcess *process, const FcThread *thread)
{
    guint64 first = fc_stack_first_time(thread->stack);
    if (first != FC_STACK_NO_TIME)
        return first;
    return thread->start_time != 0 ? thread->start_time : process->hello.start_time;
}

/* Closes the thread's frames at `time` (0: at its last event) and adds it to the sums. */
static void finish_thread(FcProcess *process, FcThread *thread, guint64 time, gboolean ended)
{
    FcThreadRow row = make_row(process, thread, ended);
    /* The thread's run is what its functions' times can add up to: from the first event to
     * the last, which is `time` only where that closes frames. */
    if (fc_stack_depth(thread->stack) > 0)
        fc_stack_close(thread->stack, time);
    row.start_time = first_event(process, thread);
    row.end_time = MAX(fc_stack_last_time(thread->stack), row.start_time);
    process->end_time = MAX(process->end_time, row.end_time);
    if (thread->heap != NULL)
        fc_heap_thread_finish(thread->heap);
    fc_counts_settle(thread->counts);
    add_notes(process, thread);
    g_autofree guint32 *map = fc_counts_merge(process->counts, thread->counts);
    add_row_functions(process, &row, thread->counts, map);
    if (process->thread_done != NULL)
        process->thread_done(process, &row, thread->counts, process->thread_done_data);
    if (process->row_budget > 0)
    {
        process->row_budget--;
        g_array_append_val(process->rows, row);
    }
    else
    {
        row_clear(&row);
        note(process->losses, "threads-not-listed", 1);
    }
    g_hash_table_remove(process->threads, GUINT_TO_POINTER(thread->number));
}

static void end_thread(FcProcess *process, guint32 number, guint64 time)
{
    FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(number));
    if (thread == NULL)
        return;
    fc_thread_give_up(thread, FALSE);
    fc_thread_release(thread);
    finish_thread(process, thread, time, TRUE);
}

/* ---- Messages --------------------------------------------------------------------- */

static void take_text(FcProcess *process, const FcWireMessage *message)
{
    g_autofree char *text = g_strndup((const char *)message->payload, message->payload_bytes);
    if (message->argument == FC_TEXT_EXECUTABLE)
    {
        g_free(process->executable);
        process->executable = g_steal_pointer(&text);
    }
    else if (message->argument == FC_TEXT_DIRECTORY)
    {
        g_free(process->directory);
        process->directory = g_steal_pointer(&text);
    }
    else if (message->argument == FC_TEXT_COMMAND_LINE)
    {
        g_strfreev(process->command_line);
        process->command_line = fc_decode_arguments(message);
    }
}

static void take_module(FcProcess *process, const FcWireMessage *message)
{
    struct FcModuleInfo info;
    const char *path;
    gsize path_bytes;
    if (!fc_decode_module(message, &info, &path, &path_bytes))
    {
        note(process->losses, "malformed-messages", 1);
        return;
    }
    /* Where each thread has a clock of its own only the order of arrival tells. */
    guint64 time = has_one_clock(process) ? message->value : 0;
    if (message->type == FC_MSG_MODULE_UNLOAD)
        fc_modules_unload(process->modules, &info, time);
    else if (!fc_modules_load(process->modules, &info, path, path_bytes, time))
        note(process->losses, "modules-not-listed", 1);
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_stack_modules_changed(((FcThread *)thread)->stack);
}

static void take_chunk(FcProcess *process, const FcWireMessage *message)
{
    FcChunkView view;
    if (process->setup->shared == NULL || message->value > FC_CHUNK_RECORDS ||
        !fc_shared_take(process->setup->shared, message->argument, process->key, &view))
    {
        note(process->losses, "bad-chunk", 1);
        return;
    }
    if (process->finished || view.thread != message->thread)
    {
        if (!process->finished)
            note(process->losses, "bad-chunk", 1);
        fc_shared_free(process->setup->shared, view.index);
        return;
    }
    FcThread *thread = get_thread(process, view.thread);
    thread->is_private = FALSE;
    fc_stack_set_multiplier(thread->stack, fc_clock_multiplier(&process->setup->clock));
    fc_thread_take_chunk(thread, &view, (guint32)message->value);
    if (process->heap != NULL && process->heap_order->queued >= FC_HEAP_QUEUE_FULL)
        fc_process_settle_heap(process);
}

static void take_data(FcProcess *process, const FcWireMessage *message)
{
    struct FcDataHeader header;
    const guint8 *records;
    if (!fc_decode_data(message, &header, &records) || message->thread == 0)
    {
        note(process->losses, "malformed-messages", 1);
        return;
    }
    FcThread *thread = get_thread(process, message->thread);
    fc_stack_set_multiplier(thread->stack, fc_clock_multiplier(&process->setup->clock));
    thread->is_private = TRUE;
    fc_thread_take_data(thread, &header, records);
}

static void take_thread_start(FcProcess *process, const FcWireMessage *message)
{
    FcThread *thread = get_thread(process, message->thread);
    thread->is_private = process->setup->shared == NULL;
    thread->tid = message->argument;
    thread->start_time = message->value;
    struct FcStackInfo own;
    if (message->payload_bytes != sizeof own)
        return;
    memcpy(&own, message->payload, sizeof own);
    if (own.start >= own.end)
        return;
    fc_stack_set_bounds(thread->stack, own.start, own.end);
    if (thread->heap != NULL)
        fc_heap_thread_set_stack(thread->heap, own.start, own.end);
}

static void take_stack(FcProcess *process, const FcWireMessage *message)
{
    struct FcStackInfo info;
    GHashTableIter iter;
    gpointer thread;
    if (message->payload_bytes != sizeof info)
        return;
    memcpy(&info, message->payload, sizeof info);
    fc_regions_add(process->regions, info.start, info.end);
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_stack_set_regions(((FcThread *)thread)->stack, process->regions);
}

static void take_thread_name(FcProcess *process, const FcWireMessage *message)
{
    FcThread *thread = get_thread(process, message->thread);
    g_free(thread->name);
    thread->name = g_strndup((const char *)message->payload, message->payload_bytes);
}

void fc_process_message(FcProcess *process, const FcWireMessage *message)
{
    if (message->type == FC_MSG_CHUNK)
    {
        take_chunk(process, message);
        return;
    }
    if (process->finished)
        return;
    if (message->type == FC_MSG_TEXT)
        take_text(process, message);
    else if (message->type == FC_MSG_MODULE_LOAD || message->type == FC_MSG_MODULE_UNLOAD)
        take_module(process, message);
    else if (message->type == FC_MSG_CHUNK_DATA)
        take_data(process, message);
    else if (message->type == FC_MSG_EXIT_STATUS)
    {
        process->end = FC_END_EXIT;
        process->end_value = (gint)(message->argument & 0xff);
    }
    else if (message->type == FC_MSG_STACK)
        take_stack(process, message);
    else if (message->type == FC_MSG_MEMORY)
        fc_process_take_late(process, message);
    else if (message->type == FC_MSG_FOREIGN_ALLOCATOR && process->heap != NULL)
        process->heap->has_foreign_allocator = TRUE;
    else if (message->thread == 0)
        return;
    else if (message->type == FC_MSG_THREAD_START)
        take_thread_start(process, message);
    else if (message->type == FC_MSG_THREAD_NAME)
        take_thread_name(process, message);
    else if (message->type == FC_MSG_THREAD_END)
        end_thread(process, message->thread, message->value);
}

/* ---- Forks and the end ----------------------------------------------------------- */

GArray *fc_process_fork(FcProcess *process, guint32 number)
{
    FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(number));
    if (thread == NULL)
        return g_array_new(FALSE, TRUE, sizeof(FcOpenFrame));
    fc_thread_give_up(thread, TRUE);
    return fc_stack_open_frames(thread->stack);
}

void fc_process_adopt(FcProcess *process, const FcProcess *parent, const GArray *frames)
{
    FcThread *thread = get_thread(process, MAX(process->hello.thread, 1));
    thread->start_time = process->hello.start_time;
    const FcThread *forked =
        parent != NULL
            ? g_hash_table_lookup(parent->threads, GUINT_TO_POINTER(process->hello.parent_thread))
            : NULL;
    if (forked != NULL)
        fc_stack_copy_bounds(thread->stack, forked->stack);
    fc_stack_inherit(thread->stack, (const FcOpenFrame *)(gconstpointer)frames->data, frames->len,
                     process->hello.start_time);
}

void fc_process_retry(FcProcess *process)
{
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_thread_retry(thread);
    if (process->heap != NULL && !process->finished)
        fc_process_settle_heap(process);
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const FcThreadRow *one = a;
    const FcThreadRow *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

static gint compare_threads(gconstpointer a, gconstpointer b)
{
    const FcThread *one = a;
    const FcThread *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* The chunks that were never sent. */
static void scan_owned(FcProcess *process)
{
    g_autoptr(GArray) views = fc_shared_owned(process->setup->shared, process->key);
    for (guint i = 0; i < views->len; i++)
    {
        const FcChunkView *view = &g_array_index(views, FcChunkView, i);
        FcThread *thread = get_thread(process, view->thread);
        fc_thread_scan(thread, view);
        note(process->losses, "profiling-stopped", view->stopped);
        thread->is_private = FALSE;
    }
}

/* Whether the thread's own buffer, where it has one, went with the process: that of the thread
 * that executes another image was sent. */
static gboolean is_unsent(const FcProcess *process, const FcThread *thread, guint32 number)
{
    return thread->is_private && !(process->end == FC_END_EXEC && thread->number == number);
}

void fc_process_finish(FcProcess *process, guint64 time, guint32 number, gboolean dead)
{
    if (process->finished)
        return;
    GList *threads = g_hash_table_get_values(process->threads);
    for (GList *at = threads; at != NULL; at = at->next)
        fc_thread_give_up(at->data, !dead);
    g_list_free(threads);
    if (process->setup->shared != NULL)
        scan_owned(process);

    threads = g_list_sort(g_hash_table_get_values(process->threads), compare_threads);
    for (GList *at = threads; at != NULL; at = at->next)
    {
        FcThread *thread = at->data;
        note(process->losses, "unsent-buffers", dead && is_unsent(process, thread, number));
        finish_thread(process, thread,
                      has_one_clock(process) || thread->number == number ? time : 0, FALSE);
    }
    g_list_free(threads);
    if (process->heap != NULL)
    {
        fc_heap_order_finish(process->heap_order);
        note(process->losses, "untracked-frees", process->heap->untracked_frees);
        note(process->losses, "foreign-frees", process->heap->foreign_frees);
        note(process->losses, "bad-frees-not-listed", process->heap->bad_not_listed);
    }
    g_array_sort(process->rows, compare_rows); /* the first thread first, whenever it ended */
    if (time != 0 && (has_one_clock(process) || number != 0))
        process->end_time = MAX(process->end_time, time);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    process->end_realtime_ns = (gint64)now.tv_sec * 1000000000 + now.tv_nsec;
    process->finished = TRUE;
}
