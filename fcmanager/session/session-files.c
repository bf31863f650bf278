/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of a session: see session-files.h.
 */
#include "fcmanager/session/session-files.h"

#include "fcmanager/session/output.h"
#include "fcmanager/session/pauses.h"
#include "profile/plain.h"

#include <stdio.h>
#include <time.h>

static void remember(const FcSessionFiles *files, const char *trouble)
{
    if (!trouble)
        return;
    if (files->debug)
    {
        g_autofree char *plain = fc_plain_text(trouble);
        fprintf(stderr, "FCMng: debug: %s\n", plain);
    }
    fc_answers_remember(files->answers, trouble);
}

static void describe(const FcSessionFiles *files)
{
    g_autofree char *trouble = NULL;
    if (!files->root_done || (files->others == 0 && fc_files_count(files->files) < 2))
        return;
    fc_files_describe(files->files, files->root_pid, files->root_program, files->started,
                      (gint64)time(NULL), &trouble);
    remember(files, trouble);
}

/* Writes one profile.  `thread`: number of its thread; 0: it is that of the whole process. */
static void write_profile(const FcSessionFiles *files, const FcProcess *process,
                          const FcProfile *profile, guint32 thread, gboolean several)
{
    g_autofree char *trouble = NULL;
    gint64 id = profile->thread_id != 0 ? profile->thread_id : process->hello.pid;
    gboolean is_thread = thread != 0 && thread != process->hello.thread;
    fc_files_write(files->files, profile, id, process->hello.ppid, is_thread,
                   several || files->others > 0, (guint64)process->order << 32 | thread, &trouble);
    remember(files, trouble);
}

void fc_session_files_write_threads(const FcSessionFiles *files, FcProcess *process)
{
    guint kept = 0;
    for (guint i = 0; i < process->done->len; i++)
    {
        FcThreadDone *done = &g_array_index(process->done, FcThreadDone, i);
        gboolean is_first = done->result.number == process->hello.thread;
        gboolean with_heap = is_first && process->heap;
        if (with_heap && !process->finished)
        {
            FcThreadDone *place = &g_array_index(process->done, FcThreadDone, kept++);
            FcThreadDone written = *place;
            *place = *done;
            *done = written;
            continue;
        }
        /* Each note is in one file, that of its thread, so that sums of the files are right. */
        fc_profile_add_notes(process->repairs, done->repairs);
        fc_profile_add_notes(process->losses, done->losses);
        g_autoptr(FcProfile) profile =
            fc_output_thread(process, &done->result, done->counts, with_heap, files->unique_id);
        gboolean several = with_heap ? process->results->len > 1 : !is_first || !done->was_last;
        write_profile(files, process, profile, done->result.number, several);
        g_array_set_size(process->repairs, 0);
        g_array_set_size(process->losses, 0);
    }
    g_array_set_size(process->done, kept);
}

/* A child's profile, which it takes over. */
static void add_child(const FcSessionFiles *files, const FcProcess *process, FcProfile *profile)
{
    g_autofree char *trouble = NULL;
    fc_children_add(files->children, profile, (guint64)process->order << 32, &trouble);
    remember(files, trouble);
}

/* Returns how many have their first file now. */
static guint write_children(const FcSessionFiles *files)
{
    g_autofree char *trouble = NULL;
    const guint count = fc_children_write(files->children, &trouble);
    remember(files, trouble);
    return count;
}

/* The first process is about to end. */
static void end_children(const FcSessionFiles *files)
{
    g_autofree char *trouble = NULL;
    fc_children_gather(files->children, &trouble);
    remember(files, trouble);
    write_children(files);
}

void fc_session_files_write_children(const FcSessionFiles *files)
{
    if (write_children(files) > 0)
        describe(files);
}

void fc_session_files_write(const FcSessionFiles *files, FcProcess *process)
{
    if (files->profile_mode != FC_MODE_THREAD || process->results->len == 0)
    {
        g_autoptr(FcProfile) profile = fc_output_process(process, files->unique_id);
        fc_pauses_apply(process, profile);
        if (process->order > 0 && fc_children_are_summed(files->children))
        {
            add_child(files, process, g_steal_pointer(&profile));
            return;
        }
        write_profile(files, process, profile, 0, FALSE);
        if (process->order > 0)
            fc_children_note_apart(files->children, (guint64)process->order << 32);
    }
    fc_session_files_write_threads(files, process);
    if (process->order == 0)
        end_children(files);
    describe(files);
}

void fc_session_files_end(const FcSessionFiles *files)
{
    g_autofree char *trouble = NULL;
    fc_session_files_write_children(files);
    fc_files_name_only_one(files->files, &trouble);
    remember(files, trouble);
}
