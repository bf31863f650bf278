/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a session: see session.h.
 */
#include "fcmanager/session/session.h"

#include "fcmanager/base/memory-limit.h"
#include "fcmanager/base/notice.h"
#include "fcmanager/session/controls.h"
#include "fcmanager/session/forks.h"
#include "fcmanager/session/pauses.h"
#include "fcmanager/session/process-messages.h"
#include "fcmanager/session/process-waits.h"
#include "fcmanager/session/recovery.h"
#include "fcmanager/session/session-files.h"
#include "fcmanager/session/snapshots.h"
#include "profile/fc-profile-file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct FcSession
{
    FcSessionSetup setup;
    FcProcessSetup common;
    guint32 contexts_in_use;
    FcTraceRoom trace_room;
    GHashTable *processes; /* key -> FcProcess, owned */
    FcForks *forks;
    FcAnswers *answers;
    char *unique_id;
    FcSessionFiles files;
    guint joined;    /* processes so far */
    guint64 root;    /* key of the first process; 0: none yet */
    guint64 orphans; /* messages of processes that did not say hello */
    guint64 malformed;
    FcWaitSampling wait_sampling;
    GArray *asked; /* struct FcControl: requests that wait for an answer */
    FcSnapshots snapshots;
    FcSnapshots periodic; /* FC_EVERY */
    FcSnapshots named;    /* asked for by the program itself */
    FcSnapshots pausing;  /* at the ends of pauses */
    FcRecovery recovery;
    gint64 next_periodic_ms;
    gint64 next_children_ms;  /* when their sums are written again */
    gboolean is_write_failed; /* a failed write was reported; reported once only */
    gint64 end_began_ms; /* when a thread or process began to be summed up; the next field says how
                            long that may take before the user is told */
    gint64 end_may_take_ms;
    gboolean is_patience_asked; /* the user was told that it takes long; told once only */
};

/* ms that the end may take without notice, for runs that were shorter than this. */
#define PATIENCE_MS 1000

G_GNUC_PRINTF(2, 3) static void debug(const FcSession *session, const char *format, ...)
{
    if (!session->setup.debug)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    fprintf(stderr, "FCMng: debug: %s\n", text);
}

static char *make_unique_id(gint64 started)
{
    return g_strdup_printf("%s-%d-%" G_GINT64_FORMAT "-%08x%08x", g_get_host_name(), (int)getpid(),
                           started, g_random_int(), g_random_int());
}

static gint64 now_ms(void)
{
    return g_get_monotonic_time() / 1000;
}

FcSession *fc_session_new(const FcSessionSetup *setup)
{
    FcSession *session = g_new0(FcSession, 1);
    session->setup = *setup;
    fc_clock_start(&session->common.clock, setup->time_mode);
    session->common.shared = setup->shared;
    session->common.observer = setup->observer;
    session->common.pc_sampler = setup->pc_sampler;
    session->common.profile_mode = setup->profile_mode;
    session->common.sizes = setup->sizes;
    session->common.node_limit = setup->contexts;
    session->common.contexts_in_use = &session->contexts_in_use;
    session->common.memory = setup->memory;
    session->common.latency = setup->latency;
    session->common.slowest = setup->slowest;
    session->common.filter = setup->filter;
    session->common.job = setup->job;
    session->common.may_use = setup->may_use;
    session->common.depth = setup->depth;
    session->trace_room = (FcTraceRoom){.length = setup->trace, .limit = FC_TRACE_BYTES_MAX};
    session->common.trace_room = &session->trace_room;
    session->common.memory_blocks = setup->memory_blocks;
    session->common.memory_frames = setup->memory_frames;
    session->processes =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, (GDestroyNotify)fc_process_free);
    session->forks = fc_forks_new();
    session->answers = fc_answers_new(setup->reply_fd, setup->shared, setup->files, setup->quiet,
                                      setup->brief, setup->answered, setup->data);
    session->asked = g_array_new(FALSE, FALSE, sizeof(struct FcControl));
    fc_snapshots_init(&session->snapshots);
    fc_snapshots_init(&session->periodic);
    fc_snapshots_init(&session->named);
    fc_snapshots_init(&session->pausing);
    fc_recovery_init(&session->recovery);
    session->next_periodic_ms = now_ms() + setup->every_ms;
    const gint64 started = (gint64)time(NULL);
    session->unique_id = make_unique_id(started);
    fc_files_set_session(setup->files, session->unique_id);
    session->files = (FcSessionFiles){.files = setup->files,
                                      .answers = session->answers,
                                      .children = fc_children_new(setup->children, setup->files),
                                      .unique_id = session->unique_id,
                                      .profile_mode = setup->profile_mode,
                                      .debug = setup->debug,
                                      .started = started};
    return session;
}

void fc_session_free(FcSession *session)
{
    if (!session)
        return;
    g_hash_table_unref(session->processes);
    fc_forks_free(session->forks);
    fc_answers_free(session->answers);
    fc_children_free(session->files.children);
    fc_files_free(session->setup.files);
    fc_shared_unmap(session->setup.shared);
    fc_manager_filter_free(session->setup.user_filter);
    g_array_unref(session->asked);
    fc_snapshots_clear(&session->snapshots);
    fc_snapshots_clear(&session->periodic);
    fc_snapshots_clear(&session->named);
    fc_snapshots_clear(&session->pausing);
    fc_recovery_clear(&session->recovery);
    g_free(session->unique_id);
    g_free(session->files.root_program);
    g_free(session);
}

static FcProcess *find_process(FcSession *session, guint64 key)
{
    return g_hash_table_lookup(session->processes, &key);
}

static void add_session_losses(FcSession *session, FcProcess *process)
{
    if (session->malformed > 0)
        fc_profile_note(process->losses, "malformed-messages", session->malformed);
    if (session->orphans > 0)
        fc_profile_note(process->losses, "orphan-messages", session->orphans);
    session->malformed = 0;
    session->orphans = 0;
}

/* A thread or process is about to be summed up while the program waits.  If that takes longer than
 * the program ran, the user is told. */
static void begin_end(FcSession *session, const FcProcess *process)
{
    const gint64 started_ms = (gint64)(process->hello.start_monotonic_ns / 1000000);
    session->end_began_ms = now_ms();
    session->end_may_take_ms =
        CLAMP(session->end_began_ms - started_ms, PATIENCE_MS, (gint64)G_MAXINT);
    if (session->setup.quiet || session->is_patience_asked)
        return;
    g_autofree char *text = g_strdup_printf(
        "FCMng: writing the profile takes longer than the run: %u contexts so far, of %u threads\n",
        session->contexts_in_use, g_hash_table_size(process->threads) + process->results->len);
    fc_notice_print_later(session->setup.notice_fd, text, (guint)session->end_may_take_ms);
}

/* Cancels that notice.  If it was due, the program prints a line about it, too: the program may
 * overwrite the notice in a file that it does not append to. */
static void end_end(FcSession *session)
{
    const gint64 took_ms = now_ms() - session->end_began_ms;
    fc_notice_cancel();
    if (session->setup.quiet || session->is_patience_asked || took_ms < session->end_may_take_ms)
        return;
    session->is_patience_asked = TRUE;
    g_autofree char *text =
        g_strdup_printf("writing the profile took longer than the run: %.1f s, %u contexts",
                        (double)took_ms / 1000, session->contexts_in_use);
    fc_answers_remember(session->answers, text);
}

static void report_short_memory(FcSession *session, FcProcess *process)
{
    g_autofree char *reason = fc_memory_limit_reason();
    if (!reason)
        return;
    fc_process_note(process->repairs, "memory-limited", 1);
    if (session->setup.quiet)
        return;
    g_autofree char *text =
        g_strdup_printf("the profile manager's %s: calling contexts are kept in one for each "
                        "function from %u on",
                        reason, session->contexts_in_use);
    fc_answers_remember(session->answers, text);
}

/* Notes that FC_FILTER could not be applied in full.  The notice says which part; the profile says
 * that there is one. */
static void note_user_filter(FcSession *session, FcProcess *process)
{
    gboolean is_incomplete = session->setup.trouble != NULL;
    g_autofree char *trouble =
        session->setup.user_filter && !is_incomplete
            ? fc_manager_filter_trouble(session->setup.user_filter, &is_incomplete)
            : NULL;
    if (trouble && !session->setup.quiet)
        fc_answers_remember(session->answers, trouble);
    if (is_incomplete)
        fc_process_note(process->losses, "filter-incomplete", 1);
}

/* ---- Snapshots by the clock -------------------------------------------------------------- */

/* When this returns, each snapshot that was being written is complete or does not exist. */
static void end_written(FcSession *session, gboolean waits)
{
    const guint failed =
        fc_snapshots_reap(&session->periodic, waits) + fc_snapshots_reap(&session->named, waits);
    if (failed == 0 || session->is_write_failed)
        return;
    session->is_write_failed = TRUE;
    fc_answers_remember(session->answers,
                        "a snapshot could not be written (FC_EVERY, fc_snapshot)");
}

static gboolean write_periodic(FcProcess *process, FcProfile *profile, gpointer data)
{
    const FcSession *session = data;
    g_autoptr(GError) error = NULL;
    const FcFilesSnapshot snapshot = {.id = process->hello.pid,
                                      .number = (guint)session->periodic.taken + 1,
                                      .keep = session->setup.every_keep};
    fc_pauses_apply(process, profile);
    if (fc_files_write_snapshot(session->setup.files, profile, &snapshot, &error))
        return TRUE;
    debug(session, "%s", error->message);
    return FALSE;
}

/* Takes a snapshot if one is due.  The pipe was read a moment ago. */
static void take_periodic(FcSession *session)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) processes = g_ptr_array_new();
    GHashTableIter iter;
    gpointer process;
    if (session->setup.every_ms == 0 || now_ms() < session->next_periodic_ms)
        return;
    session->next_periodic_ms = now_ms() + session->setup.every_ms;
    g_hash_table_iter_init(&iter, session->processes);
    while (g_hash_table_iter_next(&iter, NULL, &process))
        if (!((const FcProcess *)process)->finished)
            g_ptr_array_add(processes, process);
    if (processes->len == 0 || session->periodic.children->len > 0)
        return;
    const FcSnapshotOrder order = {.common = &session->common,
                                   .unique_id = session->unique_id,
                                   .processes = processes,
                                   .forked = session->setup.forked,
                                   .source = session->setup.data,
                                   .write = write_periodic,
                                   .data = session};
    if (!fc_snapshots_take(&session->periodic, &order, &error))
        debug(session, "%s", error->message);
}

static void take_recovery(FcSession *session)
{
    FcSnapshotOrder order = {.common = &session->common,
                             .unique_id = session->unique_id,
                             .forked = session->setup.forked,
                             .source = session->setup.data};
    if (session->setup.recovery && session->setup.profile_mode != FC_MODE_THREAD)
        fc_recovery_round(&session->recovery, session->processes, &order, session->setup.files);
}

/* ms between two times that the sums of children are written. */
#define CHILDREN_MS 1000

static void write_children(FcSession *session)
{
    if (now_ms() < session->next_children_ms)
        return;
    fc_session_files_write_children(&session->files);
    session->next_children_ms = now_ms() + CHILDREN_MS;
}

/* Characters allowed in a file name. */
#define NAME_LETTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-"

typedef struct
{
    FcFiles *files;
    const char *name;
} Named;

static gboolean write_named(FcProcess *process, FcProfile *profile, gpointer data)
{
    const Named *named = data;
    const FcFilesSnapshot snapshot = {.id = process->hello.pid, .name = named->name};
    fc_pauses_apply(process, profile);
    return fc_files_write_snapshot(named->files, profile, &snapshot, NULL);
}

/* The program asks for a snapshot. */
static void take_named(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_strndup((const char *)message->payload, message->payload_bytes);
    g_autoptr(GPtrArray) processes = g_ptr_array_new();
    if (process->finished)
        return;
    g_strcanon(name, NAME_LETTERS, '_');
    g_ptr_array_add(processes, process);
    Named named = {session->setup.files, name};
    const FcSnapshotOrder order = {.common = &session->common,
                                   .unique_id = session->unique_id,
                                   .processes = processes,
                                   .forked = session->setup.forked,
                                   .source = session->setup.data,
                                   .write = write_named,
                                   .data = &named};
    if (fc_snapshots_take(&session->named, &order, &error) || session->is_write_failed)
        return;
    session->is_write_failed = TRUE;
    g_autofree char *text = g_strdup_printf("no snapshot '%s': %s", name, error->message);
    fc_answers_remember(session->answers, text);
}

/* ---- Pauses ------------------------------------------------------------------------------ */

static gboolean switch_pause(FcSession *session, FcProcess *process, gboolean is_on, GError **error)
{
    FcSnapshotOrder order = {.common = &session->common,
                             .unique_id = session->unique_id,
                             .forked = session->setup.forked,
                             .source = session->setup.data};
    if (session->setup.profile_mode != FC_MODE_THREAD)
        return fc_pauses_switch(process, is_on, &session->pausing, &order, error);
    g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOSYS,
                        "there is no pause in THREAD mode (FC_ALLOW_THREAD)");
    return FALSE;
}

/* The program wants to pause or to go on. */
static void take_pause(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    g_autoptr(GError) error = NULL;
    if (!process->finished && !switch_pause(session, process, message->argument != 0, &error))
    {
        g_autofree char *text = g_strdup_printf(
            "fc_%s: %s", message->argument != 0 ? "pause" : "resume", error->message);
        fc_answers_remember(session->answers, text);
    }
    if (session->setup.shared && message->value != 0)
        fc_shared_answer_pause(session->setup.shared, (guint32)message->value);
}

/* ---- The end of a process ---------------------------------------------------------------- */

/* Takes what is left of the process and writes its file. */
static void finish(FcSession *session, FcProcess *process, guint64 time, guint32 thread,
                   gboolean dead)
{
    if (process->finished)
        return;
    begin_end(session, process);
    report_short_memory(session, process);
    if (process->key == session->root)
        note_user_filter(session, process);
    end_written(session, TRUE);
    fc_recovery_wait(&session->recovery);
    fc_clock_refresh(&session->common.clock);
    fc_process_finish(process, time, thread, dead);
    if (process->key == session->root)
    {
        add_session_losses(session, process);
        session->files.root_done = TRUE;
        session->files.root_program = g_strdup(process->executable);
    }
    fc_session_files_write(&session->files, process);
    end_end(session);
    debug(session, "process %d is done", process->hello.pid);
}

/* ---- Answers ------------------------------------------------------------------------ */

void fc_session_greet(FcSession *session)
{
    fc_answers_greet(session->answers, session->setup.trouble);
}

/* The first process of our PID namespace is about to end.  The kernel then kills all others in it
 * at once, including the manager. */
static void finish_namespace(FcSession *session)
{
    g_autoptr(GList) all = g_hash_table_get_values(session->processes);
    for (const GList *at = all; at; at = at->next)
    {
        FcProcess *process = at->data;
        guint64 now = 0;
        if (process->finished)
            continue;
        fc_clock_now(&session->common.clock, &now);
        process->end = FC_END_SIGNAL;
        process->end_value = SIGKILL;
        finish(session, process, now, 0, FALSE);
    }
}

static void quit(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    finish(session, process, message->value, message->thread, FALSE);
    if (process->hello.pid == 1 && (process->hello.flags & FC_HELLO_ELSEWHERE) == 0)
        finish_namespace(session);
    if (message->argument != FC_NO_ANSWER)
        fc_answers_add_quit(session->answers, process->key, process->key == session->root,
                            message->argument);
}

guint fc_session_count_quits(const FcSession *session)
{
    return fc_answers_count_quits(session->answers);
}

void fc_session_answer_quits(FcSession *session, guint count)
{
    fc_answers_answer_quits(session->answers, count);
}

static void list_live(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    g_autofree char *text = fc_process_list_live(process);
    if (!fc_answers_give(session->answers, process->key, message->argument, text))
        debug(session, "process %d waits in a chunk that is not its own", process->hello.pid);
}

/* ---- Coming and going ---------------------------------------------------------------- */

/* The process is dead, so nobody writes to its chunks any more. */
static void remove_process(FcSession *session, FcProcess *process)
{
    if (session->setup.shared)
        fc_shared_free_all(session->setup.shared, process->key);
    fc_answers_forget(session->answers, process->key);
    g_hash_table_steal(session->processes, &process->key);
    fc_forks_parent_gone(session->forks, process);
}

static void leave_by_exec(FcSession *session, FcProcess *process)
{
    if (!process->finished)
        process->end = FC_END_EXEC;
    finish(session, process, process->exec_time, process->exec_thread, TRUE);
    guint64 key = process->key;
    remove_process(session, process);
    session->setup.left(key, session->setup.data);
}

static void hello(FcSession *session, const FcWireMessage *message)
{
    struct FcHello hello;
    if (!fc_decode_hello(message, &hello) || find_process(session, message->process))
    {
        session->malformed++;
        return;
    }
    fc_clock_check(&session->common.clock, hello.start_time, hello.start_monotonic_ns);
    FcProcess *replaced =
        find_process(session, session->setup.joined(message->process, &hello, session->setup.data));
    gboolean is_paused = replaced ? replaced->pauses.is_on : session->setup.paused;
    if (replaced)
        leave_by_exec(session, replaced);
    gboolean forked = (hello.flags & FC_HELLO_FORKED) != 0;
    FcProcess *living = forked ? find_process(session, hello.parent_process) : NULL;
    const FcProcess *parent =
        living || !forked ? living : fc_forks_departed(session->forks, hello.parent_process);
    FcProcess *process = fc_process_new(&session->common, message->process, &hello, parent);
    process->order = session->joined++;
    fc_pauses_begin(process, parent ? parent->pauses.is_on : is_paused);
    /* parent and child wrote to the same chunk until the hello */
    if (forked && hello.fork_token == 0)
    {
        fc_process_note(process->losses, "unseen-forks", 1);
        if (living && !living->finished)
            fc_process_note(living->losses, "unseen-forks", 1);
    }
    if (session->setup.memory && (hello.flags & FC_HELLO_NO_MEMORY) != 0)
        fc_process_note(process->losses, "memory-not-recorded", 1);
    FcHeapSnapshot *heap = NULL;
    g_autoptr(GArray) frames =
        forked ? fc_forks_take(session->forks, hello.parent_process, hello.fork_token, &heap)
               : NULL;
    if (frames)
        fc_process_adopt(process, living, frames);
    fc_process_adopt_heap(process, heap);
    fc_heap_snapshot_free(heap);
    if (session->root == 0)
    {
        session->root = process->key;
        session->files.root_pid = hello.pid;
    }
    else if (!frames) /* a fork that was announced is counted already */
        session->files.others++;
    g_hash_table_insert(session->processes, &process->key, process);
    debug(session, "process %d joins", hello.pid);
}

void fc_session_died(FcSession *session, guint64 key, FcProfileEnd end, gint value)
{
    FcProcess *process = find_process(session, key);
    if (!process)
        return;
    debug(session, "process %d died", process->hello.pid);
    if (!process->finished)
    {
        guint64 now = 0;
        guint32 thread = 0;
        fc_clock_now(&session->common.clock, &now);
        if (process->executing)
        {
            now = process->exec_time;
            thread = process->exec_thread;
            end = FC_END_EXEC;
        }
        if (process->end == FC_END_UNKNOWN || end == FC_END_SIGNAL)
        {
            process->end = end;
            process->end_value = end == FC_END_EXEC ? 0 : value;
        }
        finish(session, process, now, thread, TRUE);
    }
    remove_process(session, process);
}

void fc_session_pipe_closed(FcSession *session)
{
    g_autoptr(GList) all = g_hash_table_get_values(session->processes);
    for (GList *at = all; at; at = at->next)
    {
        FcProcess *process = at->data;
        if (process->executing && !process->finished)
        {
            process->end = FC_END_EXEC;
            finish(session, process, process->exec_time, process->exec_thread, TRUE);
        }
    }
}

/* ---- Messages -------------------------------------------------------------------------- */

static void begin_fork(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    guint64 time = G_MAXUINT64;
    if (message->payload_bytes == sizeof time)
        memcpy(&time, message->payload, sizeof time);
    fc_forks_add(session->forks, process->key, message->value,
                 fc_process_fork(process, message->thread),
                 fc_process_snapshot_heap(process, time));
    session->files.others++;
}

static void end_fork(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    FcHeapSnapshot *heap;
    if (message->argument != 0)
        return; /* a child that exists says hello itself */
    g_autoptr(GArray) frames = fc_forks_take(session->forks, process->key, message->value, &heap);
    fc_heap_snapshot_free(heap);
    if (frames)
        session->files.others--;
}

static void set_executing(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    const gboolean executing = message->type == FC_MSG_EXEC;
    /* the new image counts as another one */
    session->files.others += executing - process->executing;
    process->executing = executing;
    process->exec_time = message->value;
    process->exec_thread = message->thread;
    fc_process_pause_sampling(process, executing);
}

static void take_message(FcSession *session, FcProcess *process, const FcWireMessage *message)
{
    switch (message->type)
    {
    case FC_MSG_QUIT:
        quit(session, process, message);
        break;
    case FC_MSG_LIVE:
        list_live(session, process, message);
        break;
    case FC_MSG_FORK:
        begin_fork(session, process, message);
        break;
    case FC_MSG_FORK_DONE:
        end_fork(session, process, message);
        break;
    case FC_MSG_EXEC:
    case FC_MSG_EXEC_FAILED:
        set_executing(session, process, message);
        break;
    case FC_MSG_HELLO: /* the process has said hello already */
    case FC_MSG_TEXT:
    case FC_MSG_MODULE_LOAD:
    case FC_MSG_MODULE_UNLOAD:
    case FC_MSG_THREAD_START:
    case FC_MSG_THREAD_NAME:
    case FC_MSG_THREAD_END:
    case FC_MSG_CHUNK:
    case FC_MSG_CHUNK_DATA:
    case FC_MSG_EXIT_STATUS:
    case FC_MSG_STACK:
    case FC_MSG_MEMORY:
    case FC_MSG_FOREIGN_ALLOCATOR:
    case FC_MSG_COUNTS:
    case FC_MSG_STOPPED:
    case FC_MSG_ENTRIES:
    case FC_MSG_ENTRY_PAGES:
    case FC_MSG_PLACE:
    case FC_MSG_MPI:
    case FC_MSG_OFF:
    case FC_MSG_CALL_SITES:
    case FC_MSG_NOT_SCANNED:
        if (message->type == FC_MSG_THREAD_END)
            begin_end(session, process);
        fc_process_message(process, message);
        if (message->type == FC_MSG_THREAD_END)
            end_end(session);
        if (session->setup.user_filter && message->type == FC_MSG_MODULE_LOAD)
            fc_manager_filter_take_module(session->setup.user_filter, message);
        fc_session_files_write_threads(&session->files, process);
        break;
    case FC_MSG_SNAPSHOT:
        take_named(session, process, message);
        break;
    case FC_MSG_PAUSE:
        take_pause(session, process, message);
        break;
    case FC_MSG_CONTROL: /* belongs to no process: see fc_session_message */
        break;
    case FC_MSG_STARTED:
        fc_process_message(process, message);
        if (process->key == session->root) /* later images do not measure it again */
            session->common.overhead = process->overhead;
        break;
    }
}

/* ---- Asked from outside ------------------------------------------------------------------ */

/* How many requests may wait for an answer. */
#define ASKED_MAX 64u

static void ask(FcSession *session, const FcWireMessage *message)
{
    struct FcControl control;
    if (!fc_controls_decode(message, &control))
        session->malformed++;
    else if (session->asked->len < ASKED_MAX)
        g_array_append_val(session->asked, control);
}

gboolean fc_session_is_asked(const FcSession *session)
{
    return session->asked->len > 0;
}

G_GNUC_PRINTF(2, 3) static void refuse(int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    fc_controls_answer(fd, FC_CONTROL_REFUSED, text, strlen(text), 0);
}

static void append_snapshots(GString *text, const char *name, const FcSnapshots *snapshots)
{
    g_string_append_printf(text, "%s %" G_GUINT64_FORMAT "\n", name, snapshots->taken);
    g_string_append_printf(text, "%s-blocked-ms %.3f, at most %.3f\n", name,
                           (double)snapshots->blocked_us / 1000,
                           (double)snapshots->blocked_most_us / 1000);
}

static void answer_status(FcSession *session, const FcProcess *process, int fd)
{
    guint64 now = 0;
    guint32 chunks = 0;
    const guint32 used =
        session->setup.shared ? fc_shared_count_used(session->setup.shared, &chunks) : 0;
    const FcClock *clock = &session->common.clock;
    g_autoptr(GString) text = g_string_new(NULL);
    fc_clock_refresh(&session->common.clock);
    g_string_append_printf(text, "process %d\n", process->hello.pid);
    g_string_append_printf(text, "program %s\n", process->executable ? process->executable : "-");
    if (fc_clock_now(clock, &now) && now > process->run_from)
        g_string_append_printf(text, "running-s %.3f\n",
                               (double)fc_clock_to_ns(clock, now - process->run_from) / 1e9);
    g_string_append_printf(text, "threads %u\n", g_hash_table_size(process->threads));
    g_string_append_printf(text, "threads-ended %u\n", process->results->len);
    g_string_append_printf(text, "contexts %u\n", session->contexts_in_use);
    g_string_append_printf(text, "chunks %u of %u\n", used, chunks);
    g_string_append_printf(text, "state %s\n", process->pauses.is_on ? "paused" : "recording");
    g_string_append_printf(text, "paused-s %.3f\n", (double)fc_pauses_length_us(process) / 1e6);
    append_snapshots(text, "snapshots", &session->snapshots);
    if (session->setup.every_ms > 0)
        append_snapshots(text, "periodic-snapshots", &session->periodic);
    g_string_append_printf(text, "processes-of-session %u\n",
                           g_hash_table_size(session->processes));
    g_string_append_printf(text, "manager %d\n", (int)getpid());
    fc_controls_answer(fd, FC_CONTROL_DONE, text->str, text->len, 0);
}

/* ms: a reader that takes nothing for this long gets no more. */
#define READER_MS 30000

static gboolean send_profile(FcProcess *process, FcProfile *profile, gpointer data)
{
    const int *fd = data;
    fc_pauses_apply(process, profile);
    g_autoptr(GString) text = fc_profile_format(profile);
    return fc_controls_answer(*fd, FC_CONTROL_DONE, text->str, text->len, READER_MS);
}

static void answer_snapshot(FcSession *session, FcProcess *process, int fd)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) processes = g_ptr_array_new();
    g_ptr_array_add(processes, process);
    const FcSnapshotOrder order = {.common = &session->common,
                                   .unique_id = session->unique_id,
                                   .processes = processes,
                                   .forked = session->setup.forked,
                                   .source = session->setup.data,
                                   .write = send_profile,
                                   .data = &fd};
    if (!fc_snapshots_take(&session->snapshots, &order, &error))
        refuse(fd, "%s", error->message);
    else
        debug(session, "snapshot of process %d", process->hello.pid);
}

static void answer_pause(FcSession *session, FcProcess *process, gboolean is_on, int fd)
{
    g_autoptr(GError) error = NULL;
    if (switch_pause(session, process, is_on, &error))
        fc_controls_answer(fd, FC_CONTROL_DONE, "", 0, 0);
    else
        refuse(fd, "%s", error->message);
}

static void answer(FcSession *session, const struct FcControl *control)
{
    const int fd = fc_controls_open(control);
    if (fd < 0)
    {
        debug(session, "process %d asks, and can't be answered", control->asker);
        return;
    }
    FcProcess *process =
        find_process(session, session->setup.find(control->pid, session->setup.data));
    if (!process)
        refuse(fd,
               "process %d is not profiled in this session: it was forked, or has executed "
               "another program, without FunctionCheck",
               control->pid);
    else if (process->finished)
        refuse(fd, "process %d is at its end: its profile is written", control->pid);
    else if (!fc_controls_answer(fd, FC_CONTROL_BEGUN, "", 0, 0))
        debug(session, "process %d does not wait for its answer", control->asker);
    else if (control->what == FC_CONTROL_STATUS)
        answer_status(session, process, fd);
    else if (control->what == FC_CONTROL_SNAPSHOT)
        answer_snapshot(session, process, fd);
    else if (control->what == FC_CONTROL_PAUSE || control->what == FC_CONTROL_RESUME)
        answer_pause(session, process, control->what == FC_CONTROL_PAUSE, fd);
    else
        refuse(fd, "the profile manager does not know request %u", control->what);
    close(fd);
}

void fc_session_answer_asked(FcSession *session)
{
    for (guint i = 0; i < session->asked->len; i++)
        answer(session, &g_array_index(session->asked, struct FcControl, i));
    g_array_set_size(session->asked, 0);
}

void fc_session_message(FcSession *session, const FcWireMessage *message)
{
    FcProcess *process = find_process(session, message->process);
    if (message->type == FC_MSG_HELLO)
        hello(session, message);
    else if (message->type == FC_MSG_CONTROL)
        ask(session, message);
    else if (process)
        take_message(session, process, message);
    else
        session->orphans++;
}

void fc_session_malformed(FcSession *session, guint64 count)
{
    session->malformed += count;
}

gboolean fc_session_batch_done(FcSession *session)
{
    return session->setup.shared && fc_shared_wake(session->setup.shared);
}

gboolean fc_session_is_streamed(const FcSession *session)
{
    return session->setup.shared && fc_shared_is_streamed(session->setup.shared);
}

guint fc_session_sample_waits(FcSession *session)
{
    return fc_process_sample_waits(session->processes, &session->wait_sampling);
}

void fc_session_round(FcSession *session)
{
    GHashTableIter iter;
    gpointer process;
    fc_clock_refresh(&session->common.clock);
    g_hash_table_iter_init(&iter, session->processes);
    while (g_hash_table_iter_next(&iter, NULL, &process))
        fc_process_retry(process);
    fc_snapshots_reap(&session->snapshots, FALSE);
    fc_snapshots_reap(&session->pausing, FALSE);
    end_written(session, FALSE);
    take_periodic(session);
    take_recovery(session);
    write_children(session);
    if (session->setup.shared)
        fc_shared_count_round(session->setup.shared);
}

void fc_session_end(FcSession *session)
{
    g_autoptr(GList) all = g_hash_table_get_values(session->processes);
    for (GList *at = all; at; at = at->next)
        fc_session_died(session, ((FcProcess *)at->data)->key, FC_END_UNKNOWN, 0);
    fc_session_files_end(&session->files);
}

const char *fc_session_unreported(const FcSession *session)
{
    return fc_answers_unreported(session->answers);
}
