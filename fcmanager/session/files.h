/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's files: what they are called, and the descriptor file that lists them.  Called by
 * main.c, session.c and session-files.c.  Never overwrites a file that the same session wrote, or
 * another since this one began.
 */
#pragma once

#include "profile/fc-profile.h"

typedef struct FcFiles FcFiles;

typedef struct
{
    const char *pattern; /* of the names, without .fc; see names.h */
    const char *rank;    /* for it */
    gboolean use_pid;
    guint keep;     /* files of earlier runs that keep their contents */
    gboolean quiet; /* what another run's file is called now is not told */
} FcFilesNaming;

/* Copies what it needs of `naming`.  `directory` is relative to the current directory, which may
 * change afterwards.  It is opened by fc_files_check or the first write, and where that fails again
 * at each write. */
FcFiles *fc_files_new(const char *directory, const FcFilesNaming *naming);
void fc_files_free(FcFiles *files);

/* FALSE and `error` where the folder can't be opened. */
gboolean fc_files_check(FcFiles *files, GError **error);

/* Writes the profile of process or thread `id`.  Where another run has put its file there meanwhile
 * that one gets another name, which *trouble tells.  `several`: it is, or may be, one of several of
 * the session.  The descriptor lists them by `order`.
 *
 * What can't be written to the folder goes to a new one in $TMPDIR, and no file of that name is
 * left where it should have gone.  *trouble is then what to tell the user, for the caller to free;
 * NULL: nothing, or it was said before.  FALSE where nothing was written at all. */
gboolean fc_files_write(FcFiles *files, const FcProfile *profile, gint64 id, gint64 parent,
                        gboolean is_thread, gboolean several, guint64 order, char **trouble);

/* Likewise the descriptor file, where there is more than one profile or may be.  `root_pid` and
 * `program` are of the first process. */
gboolean fc_files_describe(FcFiles *files, gint64 root_pid, const char *program, gint64 started,
                           gint64 ended, char **trouble);

/* The session is over: a profile that turned out to be the only one gets its plain name.  *trouble
 * as above. */
void fc_files_name_only_one(FcFiles *files, char **trouble);

guint fc_files_count(const FcFiles *files);

/* The path to tell the user: the descriptor file's if there is one, else the last profile's; NULL:
 * nothing was written.  The caller frees it. */
char *fc_files_main_path(const FcFiles *files);
