/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Decides when a session writes which files: one for each process that has ended, or in THREAD mode
 * one for each thread.  The descriptor is written when the first process has ended.  Called by
 * session.c.  Errors are reported through the processes.
 */
#pragma once

#include "fcmanager/session/answers.h"
#include "fcmanager/session/children.h"
#include "fcmanager/session/process.h"

/* What these functions need of their session, which fills it in and owns what it points to. */
typedef struct
{
    FcFiles *files;
    FcAnswers *answers;
    FcChildren *children;
    const char *unique_id;
    enum FcProfileMode profile_mode;
    gboolean debug;     /* log to standard error */
    gint64 started;     /* seconds since the epoch */
    gint root_pid;      /* of the first process; 0: none yet */
    char *root_program; /* NULL: not known */
    gboolean root_done;
    gint others; /* processes and images that were announced or joined, except the first */
} FcSessionFiles;

/* Writes the file of a process that was just finished.  For the first process, `root_done` must be
 * set before. */
void fc_session_files_write(const FcSessionFiles *files, FcProcess *process);

/* In THREAD mode, writes the files of the threads that have ended.  The first thread's file has the
 * heap, so it waits until the whole process has ended. */
void fc_session_files_write_threads(const FcSessionFiles *files, FcProcess *process);

/* Writes the sums of children that have changed.  The first function does so, too, at the end of
 * the first process. */
void fc_session_files_write_children(const FcSessionFiles *files);

/* The session is over: a profile that turned out to be the only one gets its plain name. */
void fc_session_files_end(const FcSessionFiles *files);
