/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each message does to its process: see process-messages.h.
 */
#include "fcmanager/session/process-messages.h"

#include "fcmanager/session/process-heap.h"

#include <string.h>

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

/* Resolves addresses of a module that `info` replaces, before it is forgotten which module was
 * there. */
static void keep_places(FcProcess *process, const struct FcModuleInfo *info, guint64 time)
{
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_thread_keep_places(thread, info->start, info->end, time);
}

static void take_module(FcProcess *process, const FcWireMessage *message)
{
    struct FcModuleInfo info;
    const char *path;
    gsize path_bytes;
    if (!fc_decode_module(message, &info, &path, &path_bytes))
    {
        fc_process_note(process->losses, "malformed-messages", 1);
        return;
    }
    /* If each thread has its own clock, only the order of arrival is known. */
    guint64 time = fc_clock_is_common(&process->setup->clock) ? message->value : 0;
    if (message->type == FC_MSG_MODULE_LOAD && fc_modules_are_crowded(process->modules))
        keep_places(process, &info, time);
    if (message->type == FC_MSG_MODULE_UNLOAD)
        fc_modules_unload(process->modules, &info, time);
    else if (!fc_modules_load(process->modules, &info, path, path_bytes, time))
        fc_process_note(process->losses, "modules-not-listed", 1);
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_stack_modules_changed(((FcThread *)thread)->stack);
}

static void take_chunk(FcProcess *process, const FcWireMessage *message)
{
    FcChunkView view;
    if (!process->setup->shared || message->value > FC_CHUNK_STARTS ||
        !fc_shared_take(process->setup->shared, message->argument, process->key, &view))
    {
        fc_process_note(process->losses, "bad-chunk", 1);
        return;
    }
    if (process->finished || view.thread != message->thread)
    {
        if (!process->finished)
            fc_process_note(process->losses, "bad-chunk", 1);
        fc_shared_free(process->setup->shared, view.index);
        return;
    }
    FcThread *thread = fc_process_thread(process, view.thread);
    thread->is_private = FALSE;
    fc_stack_set_multiplier(thread->stack, fc_clock_multiplier(&process->setup->clock));
    fc_thread_take_chunk(thread, &view, (guint32)message->value);
    if (process->heap && process->heap_order->queued >= FC_HEAP_QUEUE_FULL)
        fc_process_advance_heap(process);
}

static void take_counts(FcProcess *process, const FcWireMessage *message)
{
    FcChunkView view;
    if (!process->setup->shared || message->thread == 0 ||
        !fc_shared_take_counts(process->setup->shared, message->argument, process->key, &view))
    {
        fc_process_note(process->losses, "bad-chunk", 1);
        return;
    }
    /* The owner of the chunk may still write to it, so it is freed when the process is dead. */
    if (view.thread != message->thread)
        fc_process_note(process->losses, "bad-chunk", 1);
    else
    {
        FcThread *thread = fc_process_thread(process, view.thread);
        fc_thread_add_counts(thread, &view);
        /* in another PID namespace its thread ids mean other threads */
        if (process->setup->observer && view.sequence == 0 && !thread->watched &&
            (process->hello.flags & FC_HELLO_ELSEWHERE) == 0)
            fc_thread_watch(thread, process->setup->observer, view.current_word,
                            process->hello.pid);
    }
}

/* Returns when the module at that address was loaded.  The message may have waited so long that its
 * module is gone. */
static guint64 loaded_since(const FcProcess *process, guint64 address)
{
    for (guint i = fc_modules_count(process->modules); i > 0; i--)
    {
        const FcModule *module = fc_modules_get(process->modules, i - 1);
        if (module->unload_time == G_MAXUINT64 && address >= module->start && address < module->end)
            return module->since;
    }
    return process->hello.start_time;
}

static void take_entries(FcProcess *process, const FcWireMessage *message)
{
    if (!process->entries)
        process->entries = fc_entries_new();
    if (!fc_entries_add(process->entries, message->argument, message->payload,
                        message->payload_bytes, loaded_since(process, message->value)))
        fc_process_note(process->losses, "malformed-messages", 1);
}

/* Returns the chunk of entry counters; takes it at the first message about it.  NULL: it is not the
 * chunk that the message names. */
static const FcChunkView *entry_chunk(FcProcess *process, FcThread *thread, guint32 index,
                                      gboolean is_home)
{
    FcChunkView view;
    for (guint i = 0; i < process->home_chunks->len; i++)
        if (g_array_index(process->home_chunks, FcChunkView, i).index == index)
            return is_home ? &g_array_index(process->home_chunks, FcChunkView, i) : NULL;
    const FcChunkView *known = fc_thread_entry_chunk(thread, index);
    if (known)
        return is_home ? NULL : known;
    if (!process->setup->shared ||
        !fc_shared_take_entries(process->setup->shared, index, process->key, &view))
        return NULL;
    if (!is_home)
    {
        fc_thread_add_entries(thread, &view);
        return fc_thread_entry_chunk(thread, index);
    }
    g_array_append_val(process->home_chunks, view);
    return &g_array_index(process->home_chunks, FcChunkView, process->home_chunks->len - 1);
}

static void add_entry_pages(FcProcess *process, const FcWireMessage *message)
{
    struct FcEntryPages pages = {0};
    if (message->payload_bytes == sizeof pages)
        memcpy(&pages, message->payload, sizeof pages);
    const guint32 most = FC_CHUNK_BYTES / FC_ENTRY_PAGE_BYTES;
    if (pages.first == 0 || pages.first >= most || pages.count > most - pages.first)
    {
        fc_process_note(process->losses, "malformed-messages", 1);
        return;
    }
    FcThread *thread = fc_process_thread(process, message->thread);
    const FcChunkView *view = entry_chunk(process, thread, message->argument, pages.is_home != 0);
    if (!view)
    {
        fc_process_note(process->losses, "bad-chunk", 1);
        return;
    }
    const FcEntryCounters counters = {.address = pages.address,
                                      .bytes = (guint64)pages.count * FC_ENTRY_PAGE_BYTES,
                                      .module = pages.module,
                                      .counters = view->pages + pages.first * FC_ENTRY_PAGE_BYTES};
    g_array_append_val(pages.is_home ? process->home_counters : thread->entry_counters, counters);
    /* in another PID namespace its thread ids mean other threads */
    if (!process->setup->pc_sampler || (process->hello.flags & FC_HELLO_ELSEWHERE) != 0 ||
        thread->pc_sampled || thread->is_not_sampled)
        return;
    FcPcSampler *sampler = process->setup->pc_sampler;
    gboolean is_denied = FALSE;
    if (!process->is_timed)
        thread->pc_sampled =
            fc_pc_sampler_watch(sampler, process->key, process->hello.pid, thread->tid, &is_denied);
    /* only the first one can be told to use timers */
    process->is_timed |= is_denied && pages.is_home != 0 && process->home_chunks->len == 1;
    if (process->is_timed)
        thread->pc_sampled = fc_pc_sampler_follow(sampler, process->key, process->hello.pid);
    thread->is_not_sampled = is_denied && !process->is_timed;
    fc_process_note(process->losses, "not-sampled", thread->is_not_sampled);
}

static void take_entry_pages(FcProcess *process, const FcWireMessage *message)
{
    add_entry_pages(process, message);
    /* The process's first thread waits for this answer. */
    if (process->setup->shared)
        fc_shared_answer(process->setup->shared, message->argument, process->key,
                         process->is_timed ? FC_ENTRIES_USE_TIMERS : "");
}

static void take_place(FcProcess *process, const FcWireMessage *message)
{
    FcThread *thread = fc_process_thread(process, message->thread);
    struct FcPlace place;
    if (message->payload_bytes == 0 && !thread->is_not_sampled)
    {
        thread->is_not_sampled = TRUE;
        fc_process_note(process->losses, "not-sampled", 1);
    }
    if (message->payload_bytes < sizeof place || !thread->pc_sampled || !process->is_timed)
        return;
    memcpy(&place, message->payload, sizeof place);
    fc_pc_sampler_take(thread->pc_sampled, &place, message->payload + sizeof place,
                       message->payload_bytes - sizeof place);
}

static void take_mpi(FcProcess *process, const FcWireMessage *message)
{
    FcChunkView view;
    if (message->argument != 0 && process->setup->shared && !process->mpi &&
        fc_shared_take_mpi(process->setup->shared, message->argument, process->key, &view))
        process->mpi = view.mpi;
    else if (message->argument == 0 && message->payload_bytes == sizeof *process->mpi_copy)
    {
        g_free(process->mpi_copy);
        process->mpi_copy = g_memdup2(message->payload, message->payload_bytes);
    }
    else
        fc_process_note(process->losses,
                        message->argument != 0 ? "bad-chunk" : "malformed-messages", 1);
}

static void take_data(FcProcess *process, const FcWireMessage *message)
{
    struct FcDataHeader header;
    const guint8 *units;
    if (!fc_decode_data(message, &header, &units) || message->thread == 0)
    {
        fc_process_note(process->losses, "malformed-messages", 1);
        return;
    }
    FcThread *thread = fc_process_thread(process, message->thread);
    fc_stack_set_multiplier(thread->stack, fc_clock_multiplier(&process->setup->clock));
    thread->is_private = TRUE;
    fc_thread_take_data(thread, &header, units);
}

static void take_thread_start(FcProcess *process, const FcWireMessage *message)
{
    FcThread *thread = fc_process_thread(process, message->thread);
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
    if (thread->heap)
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
    FcThread *thread = fc_process_thread(process, message->thread);
    if (thread->has_label && message->argument != FC_NAME_LABEL)
        return;
    thread->has_label = message->argument == FC_NAME_LABEL;
    g_free(thread->name);
    thread->name = g_strndup((const char *)message->payload, message->payload_bytes);
}

static void take_exit_status(FcProcess *process, const FcWireMessage *message)
{
    process->end = FC_END_EXIT;
    process->end_value = (gint)(message->argument & 0xff);
}

static void take_started(FcProcess *process, const FcWireMessage *message)
{
    process->run_from = MAX(process->run_from, message->value);
    if (message->payload_bytes == sizeof process->overhead)
        memcpy(&process->overhead, message->payload, sizeof process->overhead);
    else if (message->payload_bytes != 0)
        fc_process_note(process->losses, "malformed-messages", 1);
}

static void take_off(FcProcess *process, const FcWireMessage *message)
{
    struct FcRecord record = {0};
    if (message->payload_bytes == sizeof record)
        memcpy(&record, message->payload, sizeof record);
    record.site &= FC_SITE_ADDRESS_MASK;
    if ((record.where & FC_WHERE_KIND_MASK) != FC_RECORD_OFF)
    {
        fc_process_note(process->losses, "malformed-messages", 1);
        return;
    }
    FcThread *thread = fc_process_thread(process, message->thread);
    fc_stack_set_multiplier(thread->stack, fc_clock_multiplier(&process->setup->clock));
    fc_stack_feed(thread->stack, (const struct FcUnit *)&record, 0, 1, 0);
}

static void take_call_sites(FcProcess *process, const FcWireMessage *message)
{
    const gsize bytes = message->payload_bytes;
    if (bytes % sizeof(struct FcCallSite) != 0)
    {
        fc_process_note(process->losses, "malformed-messages", 1);
        return;
    }
    g_autofree struct FcCallSite *sites = g_memdup2(message->payload, bytes); /* aligned */
    FcThread *thread = fc_process_thread(process, message->thread);
    fc_stack_set_sites(thread->stack, message->value, sites, bytes / sizeof *sites);
}

/* Handles the messages about one thread. */
static void take_thread_message(FcProcess *process, const FcWireMessage *message)
{
    if (message->thread == 0)
        return;
    if (message->type == FC_MSG_THREAD_START)
        take_thread_start(process, message);
    else if (message->type == FC_MSG_THREAD_NAME)
        take_thread_name(process, message);
    else if (message->type == FC_MSG_OFF)
        take_off(process, message);
    else if (message->type == FC_MSG_CALL_SITES)
        take_call_sites(process, message);
    else if (message->type == FC_MSG_ENTRY_PAGES)
        take_entry_pages(process, message);
    else if (message->type == FC_MSG_PLACE)
        take_place(process, message);
    else
        fc_process_end_thread(process, message->thread, message->value);
}

void fc_process_message(FcProcess *process, const FcWireMessage *message)
{
    if (process->finished && message->type != FC_MSG_CHUNK) /* but a chunk must still be freed */
        return;
    switch (message->type)
    {
    case FC_MSG_CHUNK:
        take_chunk(process, message);
        break;
    case FC_MSG_CHUNK_DATA:
        take_data(process, message);
        break;
    case FC_MSG_TEXT:
        take_text(process, message);
        break;
    case FC_MSG_MODULE_LOAD:
    case FC_MSG_MODULE_UNLOAD:
        take_module(process, message);
        break;
    case FC_MSG_EXIT_STATUS:
        take_exit_status(process, message);
        break;
    case FC_MSG_MPI:
        take_mpi(process, message);
        break;
    case FC_MSG_STACK:
        take_stack(process, message);
        break;
    case FC_MSG_MEMORY:
        fc_process_take_late(process, message);
        break;
    case FC_MSG_FOREIGN_ALLOCATOR:
        if (process->heap)
            process->heap->has_foreign_allocator = TRUE;
        break;
    case FC_MSG_THREAD_START:
    case FC_MSG_THREAD_NAME:
    case FC_MSG_THREAD_END:
    case FC_MSG_OFF:
    case FC_MSG_CALL_SITES:
    case FC_MSG_ENTRY_PAGES:
    case FC_MSG_PLACE:
        take_thread_message(process, message);
        break;
    case FC_MSG_ENTRIES:
        take_entries(process, message);
        break;
    case FC_MSG_COUNTS:
        take_counts(process, message);
        break;
    case FC_MSG_STARTED:
        take_started(process, message);
        break;
    case FC_MSG_STOPPED:
        fc_process_note(process->losses, "profiling-stopped", 1);
        fc_process_pause_sampling(process, TRUE);
        break;
    case FC_MSG_NOT_SCANNED:
        fc_process_note(process->losses, "not-scanned", 1);
        break;
    case FC_MSG_HELLO: /* these are handled by session.c */
    case FC_MSG_FORK:
    case FC_MSG_FORK_DONE:
    case FC_MSG_EXEC:
    case FC_MSG_EXEC_FAILED:
    case FC_MSG_QUIT:
    case FC_MSG_LIVE:
    case FC_MSG_CONTROL:
    case FC_MSG_SNAPSHOT:
    case FC_MSG_PAUSE:
        break;
    }
}

void fc_process_retry(FcProcess *process)
{
    GHashTableIter iter;
    gpointer thread;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &thread))
        fc_thread_retry(thread);
    if (process->heap && !process->finished)
        fc_process_advance_heap(process);
}
