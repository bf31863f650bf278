/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One profiled process: see process.h.
 */
#include "fcmanager/session/process.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* The most functions and open frames of threads, in all, that a profile lists. */
#define RESULTS_MAX 262144u
/* The most arcs of threads; each takes 64 bytes. */
#define RESULT_ARCS_MAX 65536u

static void result_clear(gpointer data)
{
    FcThreadResult *result = data;
    g_free(result->name);
    g_clear_pointer(&result->functions, g_array_unref);
    g_array_unref(result->stack);
    g_clear_pointer(&result->arcs, g_array_unref);
    fc_trace_free(result->trace);
    fc_lanes_free(result->lanes);
}

static void done_clear(gpointer data)
{
    FcThreadDone *done = data;
    fc_counts_free(done->counts);
    g_free(done->result.name);
    fc_trace_free(done->result.trace);
    fc_lanes_free(done->result.lanes);
    g_array_unref(done->repairs);
    g_array_unref(done->losses);
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

static FcCounts *counts_new(FcProcess *process, gboolean first)
{
    static const FcCountsSizes least = {0, 0, 0};
    FcCounts *counts = fc_counts_new(process->modules, first ? &process->setup->sizes : &least);
    if (process->setup->node_limit != 0)
        counts->node_limit = process->setup->node_limit;
    counts->contexts_in_use = process->setup->contexts_in_use;
    counts->slowest_most = process->setup->slowest;
    counts->latency_room.limit = process->setup->latency ? FC_LATENCY_BYTES_MAX : 0;
    return counts;
}

FcProcess *fc_process_new(const FcProcessSetup *setup, guint64 key, const struct FcHello *hello,
                          const FcProcess *parent)
{
    FcProcess *process = g_new0(FcProcess, 1);
    process->setup = setup;
    process->key = key;
    process->hello = *hello;
    process->run_from = process->end_time = hello->start_time;
    process->modules = parent ? fc_modules_copy(parent->modules) : fc_modules_new();
    process->regions = parent ? fc_regions_copy(parent->regions) : fc_regions_new();
    process->home_counters = g_array_new(FALSE, FALSE, sizeof(FcEntryCounters));
    process->home_chunks = g_array_new(FALSE, FALSE, sizeof(FcChunkView));
    if (parent)
    {
        process->is_timed = parent->is_timed;
        process->entries = parent->entries ? fc_entries_ref(parent->entries) : NULL;
        process->executable = g_strdup(parent->executable);
        process->directory = g_strdup(parent->directory);
        process->command_line = g_strdupv(parent->command_line);
    }
    process->overhead = parent ? parent->overhead : setup->overhead;
    process->counts = counts_new(process, FALSE);
    if (setup->memory && (hello->flags & FC_HELLO_NO_MEMORY) == 0)
    {
        process->heap = fc_heap_new(process->counts, hello->start_time, setup->memory_blocks);
        process->heap_order = fc_heap_order_new(process->heap, !setup->shared);
    }
    process->threads = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)fc_thread_free);
    process->results = g_array_new(FALSE, TRUE, sizeof(FcThreadResult));
    g_array_set_clear_func(process->results, result_clear);
    process->result_budget = RESULTS_MAX;
    process->arc_budget = RESULT_ARCS_MAX;
    process->done = g_array_new(FALSE, TRUE, sizeof(FcThreadDone));
    g_array_set_clear_func(process->done, done_clear);
    process->repairs = notes_new();
    process->losses = notes_new();
    if (fc_process_is_in_proc(process))
    {
        process->may_use = setup->may_use ? g_memdup2(setup->may_use, sizeof *setup->may_use)
                                          : g_new0(FcAffinity, 1);
        process->machine_before = fc_machine_read(hello->pid, process->may_use);
    }
    process->pauses.part_fd = process->pauses.writer_fd = -1;
    return process;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        close(fd);
}

void fc_process_free(FcProcess *process)
{
    if (!process)
        return;
    g_hash_table_unref(process->threads);
    fc_live_free(process->live);
    fc_heap_thread_free(process->late);
    fc_heap_order_free(process->heap_order);
    fc_heap_free(process->heap);
    fc_counts_free(process->counts);
    g_free(process->mpi_copy);
    g_array_unref(process->done);
    fc_modules_free(process->modules);
    fc_regions_free(process->regions);
    g_free(process->may_use);
    fc_entries_unref(process->entries);
    fc_wait_stack_forget(&process->wait_stack);
    g_array_unref(process->home_counters);
    g_array_unref(process->home_chunks);
    g_array_unref(process->results);
    g_free(process->executable);
    g_free(process->directory);
    g_strfreev(process->command_line);
    g_array_unref(process->repairs);
    g_array_unref(process->losses);
    close_fd(process->pauses.part_fd);
    close_fd(process->pauses.writer_fd);
    g_free(process);
}

void fc_process_shrink(FcProcess *process)
{
    g_clear_pointer(&process->late, fc_heap_thread_free);
    g_clear_pointer(&process->heap_order, fc_heap_order_free);
    g_clear_pointer(&process->heap, fc_heap_free);
    fc_counts_free(process->counts);
    process->counts = NULL;
    g_clear_pointer(&process->mpi_copy, g_free);
    g_array_set_size(process->results, 0);
}

/* ---- Threads ---------------------------------------------------------------------- */

FcThread *fc_process_thread(FcProcess *process, guint32 number)
{
    FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(number));
    if (thread)
        return thread;
    gboolean first = process->results->len == 0 && g_hash_table_size(process->threads) == 0;
    FcCounts *counts = counts_new(process, first);
    FcStack *stack = fc_stack_new(counts, fc_clock_multiplier(&process->setup->clock),
                                  first ? process->setup->sizes.frames : 0);
    fc_stack_set_regions(stack, process->regions);
    thread = fc_thread_new(number, counts, stack, process->setup->shared);
    if (process->heap)
        thread->heap = fc_heap_thread_new(process->heap_order, counts);
    fc_stack_set_heap(stack, thread->heap);
    if (process->setup->trace_room && process->setup->trace_room->length > 0)
        fc_stack_set_trace(stack, fc_trace_new(process->setup->trace_room));
    g_hash_table_insert(process->threads, GUINT_TO_POINTER(number), thread);
    return thread;
}

void fc_process_note(GArray *notes, const char *kind, guint64 count)
{
    if (count > 0)
        fc_profile_note(notes, kind, count);
}

static void add_notes(FcProcess *process, const FcThread *thread)
{
    const FcCountsRepairs *repairs = &thread->counts->repairs;
    fc_process_note(process->repairs, "jump", repairs->jumps);
    fc_process_note(process->repairs, "missed-exit", repairs->missed_exits);
    fc_process_note(process->repairs, "unmatched-exit", repairs->unmatched_exits);
    fc_process_note(process->losses, "bad-record", repairs->bad_records);
    fc_process_note(process->repairs, "gaps", thread->gaps);
    fc_process_note(process->repairs, "contexts-folded", thread->counts->contexts_folded);
}

/* Threads that were there at the process's end come first, then those with most time on the CPU. */
static gint compare_importance(gconstpointer a, gconstpointer b)
{
    const FcThreadResult *one = a;
    const FcThreadResult *other = b;
    const gint64 cpu = (gint64)(one->end_time - one->start_time - one->off.off);
    const gint64 other_cpu = (gint64)(other->end_time - other->start_time - other->off.off);
    if (one->ended != other->ended)
        return one->ended ? 1 : -1;
    return cpu > other_cpu ? -1 : cpu < other_cpu;
}

/* A process may make threads without end.  When the list is full, the less important half of those
 * that ended is removed from it; they stay in the sums.  So there is room for the threads that live
 * at the end, and for their stacks. */
static void make_room(FcProcess *process, gsize wanted)
{
    GArray *results = process->results;
    if (process->result_budget >= MIN(wanted, RESULTS_MAX / 2) || process->ended_results == 0)
        return;
    g_array_sort(results, compare_importance);
    guint kept = results->len;
    for (; process->ended_results > 0 && process->result_budget < RESULTS_MAX / 2; kept--)
    {
        const FcThreadResult *last = &g_array_index(results, FcThreadResult, kept - 1);
        process->result_budget += last->functions->len + last->stack->len + 1;
        process->arc_budget += last->arcs ? last->arcs->len : 0;
        process->ended_with_arcs -= last->arcs != NULL;
        process->ended_results--;
    }
    fc_process_note(process->repairs, FC_THREADS_NOT_LISTED, results->len - kept);
    g_array_set_size(results, kept);
}

/* The same for arcs, of which the more important half of these threads keeps its own. */
static void make_room_for_arcs(FcProcess *process, guint32 wanted)
{
    GArray *results = process->results;
    const guint kept = process->ended_with_arcs / 2;
    if (process->arc_budget >= wanted || wanted > RESULT_ARCS_MAX || process->ended_with_arcs == 0)
        return;
    g_array_sort(results, compare_importance);
    for (guint i = results->len; process->ended_with_arcs > 0 &&
                                 (process->ended_with_arcs > kept || process->arc_budget < wanted);)
    {
        FcThreadResult *result = &g_array_index(results, FcThreadResult, --i);
        if (!result->arcs)
            continue;
        process->arc_budget += result->arcs->len;
        g_clear_pointer(&result->arcs, g_array_unref);
        fc_process_note(process->repairs, "thread-arcs-not-listed", 1);
        process->ended_with_arcs--;
    }
}

/* Adds the thread's figures by function.  `map` gives the functions' numbers in the sums. */
static void add_result_functions(FcProcess *process, FcThreadResult *result, const FcCounts *counts,
                                 const guint32 *map)
{
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        const FcCountsFunction *function = &counts->functions[i];
        result->calls += function->calls;
        if (process->result_budget == 0)
            continue;
        process->result_budget--;
        const FcProfileThreadFunction entry = {
            map[i], function->calls,
            .times = {function->total, function->local, function->cost_total, function->cost_local,
                      function->wait_total, function->wait_local},
            .off = fc_counts_get_off(counts, i)};
        g_array_append_val(result->functions, entry);
    }
    for (guint i = 0; i < result->stack->len; i++)
    {
        FcProfileFrame *frame = &g_array_index(result->stack, FcProfileFrame, i);
        frame->function = map[frame->function];
    }
}

/* Adds the thread's figures by arc: all of its arcs, or none if there are too many. */
static void add_result_arcs(FcProcess *process, FcThreadResult *result, const FcCounts *counts,
                            const guint32 *map)
{
    make_room_for_arcs(process, counts->arc_count);
    if (counts->arc_count > process->arc_budget)
    {
        fc_process_note(process->repairs, "thread-arcs-not-listed", 1);
        return;
    }
    process->arc_budget -= counts->arc_count;
    result->arcs = g_array_sized_new(FALSE, TRUE, sizeof(FcProfileThreadArc), counts->arc_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const guint32 caller = arc->caller != 0 ? map[arc->caller - 1] + 1 : 0;
        const gint site_module =
            arc->site_module != FC_NONE
                ? arc->site_module
                : fc_modules_find(counts->modules, arc->site, counts->functions[arc->callee].seen);
        const guint32 merged =
            fc_counts_find_arc(process->counts, caller, arc->site, site_module, map[arc->callee]);
        const FcProfileThreadArc entry = {
            merged - 1, arc->calls,
            .times = {.total_ns = arc->total,
                      .total_cost_ns = fc_counts_cost(counts->arc_costs, i).total,
                      .total_wait_ns = fc_counts_wait(counts->arc_waits, i).total}};
        if (merged != 0)
            g_array_append_val(result->arcs, entry);
    }
}

static FcThreadResult make_result(FcProcess *process, FcThread *thread, gboolean ended)
{
    FcThreadResult result = {.tid = thread->tid, .number = thread->number, .ended = ended};
    result.name = g_steal_pointer(&thread->name);
    result.functions = fc_profile_new_thread_functions();
    result.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    fc_stack_final_frames(thread->stack, process->result_budget, result.stack);
    process->result_budget -= result.stack->len;
    result.trace = fc_stack_take_trace(thread->stack);
    return result;
}

static guint64 first_event(const FcProcess *process, const FcThread *thread)
{
    guint64 first = fc_stack_first_time(thread->stack);
    if (first != FC_STACK_NO_TIME)
        return first;
    return thread->start_time != 0 ? thread->start_time : process->hello.start_time;
}

/* Queues a finished thread for its own file.  Its lists of functions and frames are not for that
 * file; its trace and its lanes are for that file alone. */
static void add_done(FcProcess *process, FcThreadResult *result, FcThread *thread)
{
    FcThreadDone done = {.result = *result, .counts = g_steal_pointer(&thread->counts)};
    done.was_last = g_hash_table_size(process->threads) == 1;
    done.result.name = g_strdup(result->name);
    done.result.functions = NULL;
    done.result.arcs = NULL;
    done.result.stack = NULL;
    result->trace = NULL;
    result->lanes = NULL;
    done.repairs = process->repairs;
    done.losses = process->losses;
    process->repairs = notes_new();
    process->losses = notes_new();
    g_array_append_val(process->done, done);
}

static guint32 *same_numbers(guint32 count)
{
    guint32 *numbers = g_new(guint32, count + 1);
    for (guint32 i = 0; i < count; i++)
        numbers[i] = i;
    return numbers;
}

/* A thread that waits and then has no CPU at once is ready meanwhile.  Its records take both for
 * one wait, but the kernel told the samples how long it was ready. */
static void add_delay(const FcProcess *process, const FcThread *thread, FcStackOff *off)
{
    const double ticks = (double)thread->delay_ns / process->setup->clock.ns_per_tick;
    off->preempted = MAX(off->preempted, MIN((guint64)ticks, off->off));
}

/* Closes the thread's frames at `time` (0: at its last event) and adds it to the sums. */
static void finish_thread(FcProcess *process, FcThread *thread, guint64 time, gboolean ended)
{
    make_room(process, (gsize)thread->counts->function_count + fc_stack_depth(thread->stack) + 1);
    FcThreadResult result = make_result(process, thread, ended);
    /* The thread's run is what its functions' times can add up to.  It lasts from the first event
     * to the last; that is `time` only if `time` closes frames. */
    if (fc_stack_depth(thread->stack) > 0)
        fc_stack_close(thread->stack, time);
    else
        fc_stack_end_outside(thread->stack);
    result.start_time = first_event(process, thread);
    result.end_time = MAX(fc_stack_last_time(thread->stack), result.start_time);
    if (thread->entry_counters->len > 0) /* counted calls are no events */
        result.end_time = MAX(result.end_time, time);
    process->end_time = MAX(process->end_time, result.end_time);
    if (thread->heap)
        fc_heap_thread_finish(thread->heap);
    const FcCallOverhead costs = fc_overhead_of(&process->overhead);
    fc_thread_finalize(thread, ended, &costs);
    fc_stack_get_off(thread->stack, &result.off);
    add_delay(process, thread, &result.off);
    if (process->entries)
        fc_thread_sum_entries(thread, process->entries, 1 / process->setup->clock.ns_per_tick,
                              result.end_time - result.start_time, ended, &result.off);
    fc_counts_sum_functions(thread->counts);
    result.lanes = fc_stack_take_lanes(thread->stack, result.end_time);
    add_notes(process, thread);
    fc_counts_set_thread(thread->counts, thread->tid);
    const gboolean own_file = process->setup->profile_mode == FC_MODE_THREAD;
    g_autofree guint32 *map = NULL;
    if (!own_file && !process->heap && fc_counts_take(process->counts, thread->counts))
        map = same_numbers(process->counts->function_count);
    const FcCounts *counts = map ? process->counts : thread->counts;
    if (!map)
        map = fc_counts_merge(process->counts, thread->counts);
    add_result_functions(process, &result, counts, map);
    add_result_arcs(process, &result, counts, map);
    if (result.trace)
        fc_trace_finish(result.trace, own_file ? NULL : map);
    if (own_file)
        add_done(process, &result, thread);
    if (process->result_budget > 0)
    {
        process->result_budget--;
        process->ended_results += ended;
        process->ended_with_arcs += ended && result.arcs;
        g_array_append_val(process->results, result);
    }
    else
    {
        result_clear(&result);
        fc_process_note(process->repairs, FC_THREADS_NOT_LISTED, 1);
    }
    g_hash_table_remove(process->threads, GUINT_TO_POINTER(thread->number));
}

void fc_process_pause_sampling(FcProcess *process, gboolean pauses)
{
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        if (((FcThread *)thread)->watched)
            fc_observer_pause(((FcThread *)thread)->watched, pauses);
}

void fc_process_end_thread(FcProcess *process, guint32 number, guint64 time)
{
    FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(number));
    if (!thread)
        return;
    fc_thread_give_up(thread, FALSE);
    fc_thread_release(thread);
    finish_thread(process, thread, time, TRUE);
}

/* ---- Forks and the end ----------------------------------------------------------- */

GArray *fc_process_fork(FcProcess *process, guint32 number)
{
    FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(number));
    if (!thread)
        return g_array_new(FALSE, TRUE, sizeof(FcOpenFrame));
    return fc_thread_open_frames(thread);
}

void fc_process_adopt(FcProcess *process, const FcProcess *parent, const GArray *frames)
{
    FcThread *thread = fc_process_thread(process, MAX(process->hello.thread, 1));
    thread->start_time = process->hello.start_time;
    const FcThread *forked =
        parent
            ? g_hash_table_lookup(parent->threads, GUINT_TO_POINTER(process->hello.parent_thread))
            : NULL;
    if (forked)
        fc_stack_copy_bounds(thread->stack, forked->stack);
    fc_stack_inherit(thread->stack, (const FcOpenFrame *)(gconstpointer)frames->data, frames->len,
                     process->hello.start_time);
}

static gint compare_results(gconstpointer a, gconstpointer b)
{
    const FcThreadResult *one = a;
    const FcThreadResult *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

static gint compare_threads(gconstpointer a, gconstpointer b)
{
    const FcThread *one = a;
    const FcThread *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Scans the chunks that were never sent. */
static void scan_owned(FcProcess *process)
{
    g_autoptr(GArray) views =
        fc_shared_owned(process->setup->shared, process->key, FC_CHUNK_OF_RECORDS);
    for (guint i = 0; i < views->len; i++)
    {
        const FcChunkView *view = &g_array_index(views, FcChunkView, i);
        FcThread *thread = fc_process_thread(process, view->thread);
        fc_thread_scan(thread, view);
        fc_process_note(process->losses, "profiling-stopped", view->stopped);
        thread->is_private = FALSE;
    }
}

/* Reads the call-counter tables of threads that are still alive or ended without notice. */
static void find_counts(FcProcess *process)
{
    g_autoptr(GArray) views =
        fc_shared_owned(process->setup->shared, process->key, FC_CHUNK_OF_COUNTS);
    for (guint i = 0; i < views->len; i++)
    {
        const FcChunkView *view = &g_array_index(views, FcChunkView, i);
        fc_thread_add_counts(fc_process_thread(process, view->thread), view);
    }
}

/* Gives the modules' own counters, shared by threads that have none, to the first thread. */
static void take_home_counters(FcProcess *process)
{
    if (process->home_counters->len == 0)
        return;
    FcThread *thread = fc_process_thread(process, 1);
    if (thread->start_time == 0) /* it had ended, and others went on with these counters */
        thread->start_time = process->run_from;
    g_array_append_vals(thread->entry_counters, process->home_counters->data,
                        process->home_counters->len);
    g_array_set_size(process->home_counters, 0);
}

/* Whether the thread's own buffer, if it has one, was lost with the process.  A thread that
 * executes another image sends its buffer first. */
static gboolean is_unsent(const FcProcess *process, const FcThread *thread, guint32 number)
{
    return thread->is_private && !(process->end == FC_END_EXEC && thread->number == number);
}

gboolean fc_process_is_in_proc(const FcProcess *process)
{
    return fc_clock_is_common(&process->setup->clock) &&
           (process->hello.flags & FC_HELLO_ELSEWHERE) == 0;
}

/* Adds a sample of a wait that was not noted before.  Its time is within the wait, since the thread
 * got no CPU meanwhile. */
static void note_new_wait(FcProcess *process, const FcThread *thread, const FcProcThread *found,
                          FcStackWait *wait)
{
    FcUnwindFrame frames[FC_WAIT_STACK_FRAMES];
    wait->frames = frames;
    if (!fc_clock_now(&process->setup->clock, &wait->time))
        return;
    wait->depth =
        fc_wait_stack_read(&process->wait_stack, process->modules, thread->tid, found, frames);
    if (fc_proc_thread_turns(process->hello.pid, thread->tid) == found->turns)
        fc_stack_note_wait(thread->stack, wait);
}

gboolean fc_process_sample_thread(FcProcess *process, FcThread *thread, gboolean at_end,
                                  FcProcThread *found)
{
    guint64 time;
    const gint64 now_us = g_get_monotonic_time();
    const gint64 before_us = thread->asked_us != 0 ? thread->asked_us : now_us;
    /* the kernel's name of the thread, for threads that have a label */
    g_autofree char *unused = NULL;
    thread->asked_us = now_us;
    if (!fc_clock_now(&process->setup->clock, &time))
        return FALSE;
    const gboolean waits = fc_proc_thread_read(process->hello.pid, thread->tid,
                                               thread->has_label ? &unused : &thread->name, found);
    thread->delay_ns = MAX(thread->delay_ns, found->delay_ns);
    if (!waits)
        return FALSE;
    thread->sampled_ahead = found->ahead_ns;
    thread->sampled_time = time;
    if (!found->has_kind)
        return TRUE;
    FcStackWait wait = {
        .turns = found->turns, .ns = (guint64)(now_us - before_us) * 1000, .kind = found->kind};
    if (fc_stack_is_last_wait(thread->stack, &wait))
        fc_stack_note_wait(thread->stack, &wait);
    else if (!at_end)
        note_new_wait(process, thread, found, &wait);
    return TRUE;
}

/* The process died at `time`.  If the thread made no record since its last sample, it waited until
 * then. */
static void take_sampled_wait(const FcProcess *process, FcThread *thread, guint64 time)
{
    const FcClock *clock = &process->setup->clock;
    const guint64 sampled = MIN(thread->sampled_time, time);
    const guint64 since_ns = fc_clock_to_ns(clock, time) - fc_clock_to_ns(clock, sampled);
    if (sampled > fc_stack_last_time(thread->stack))
        fc_stack_take_last_wait(thread->stack, thread->sampled_ahead + since_ns, time);
}

/* Adds the time off the CPU that no record ends, in a process that thread `number` ended at `time`.
 * It is that until now, or until the thread's last sample. */
static void take_last_wait(FcProcess *process, FcThread *thread, guint64 time, guint32 number,
                           gboolean dead)
{
    FcProcThread found = {0};
    /* the thread sent its name when it ended the process */
    const gboolean has_name = thread->number == number && thread->name;
    const gboolean waits = !dead && !has_name && process->end != FC_END_EXEC &&
                           fc_process_is_in_proc(process) &&
                           fc_process_sample_thread(process, thread, TRUE, &found);
    if (thread->number == number || !fc_clock_is_common(&process->setup->clock) ||
        fc_stack_depth(thread->stack) == 0)
        return;
    if (dead)
    {
        take_sampled_wait(process, thread, time);
        fc_stack_end_unseen(thread->stack);
    }
    else if (waits || found.is_ready)
        fc_stack_take_last_wait(thread->stack, found.ahead_ns, time);
}

void fc_process_finish(FcProcess *process, guint64 time, guint32 number, gboolean dead)
{
    if (process->finished)
        return;
    GList *threads = g_hash_table_get_values(process->threads);
    for (GList *at = threads; at; at = at->next)
        fc_thread_give_up(at->data, !dead);
    g_list_free(threads);
    if (process->setup->shared)
    {
        scan_owned(process);
        find_counts(process);
        take_home_counters(process);
    }
    if (process->mpi)
    {
        g_free(process->mpi_copy);
        process->mpi_copy = g_memdup2(process->mpi, sizeof *process->mpi);
    }
    process->mpi = NULL;
    fc_wait_stack_forget(&process->wait_stack);

    threads = g_list_sort(g_hash_table_get_values(process->threads), compare_threads);
    for (GList *at = threads; at; at = at->next)
    {
        FcThread *thread = at->data;
        fc_process_note(process->losses, "unsent-buffers",
                        dead && is_unsent(process, thread, number));
        take_last_wait(process, thread, time, number, dead);
        finish_thread(process, thread,
                      fc_clock_is_common(&process->setup->clock) || thread->number == number ? time
                                                                                             : 0,
                      FALSE);
    }
    g_list_free(threads);
    if (process->heap)
    {
        fc_heap_order_finish(process->heap_order);
        fc_process_note(process->losses, "untracked-frees", process->heap->untracked_frees);
        fc_process_note(process->losses, "foreign-frees", process->heap->foreign_frees);
        fc_process_note(process->losses, "bad-frees-not-listed", process->heap->bad_not_listed);
    }
    /* the first thread comes first, whenever it ended */
    g_array_sort(process->results, compare_results);
    if (time != 0 && (fc_clock_is_common(&process->setup->clock) || number != 0))
        process->end_time = MAX(process->end_time, time);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    process->end_realtime_ns = (gint64)now.tv_sec * 1000000000 + now.tv_nsec;
    if (process->may_use)
        process->machine_after = fc_machine_read(process->hello.pid, process->may_use);
    g_clear_pointer(&process->may_use, g_free);
    fc_counts_end(process->counts);
    process->finished = TRUE;
}
