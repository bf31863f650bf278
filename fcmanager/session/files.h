/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's files: their names, and the descriptor file that lists them.  Called by main.c,
 * session.c and session-files.c.  Never overwrites a file that this session wrote, or that another
 * session wrote since this one began.
 */
#pragma once

#include "profile/fc-profile.h"

typedef struct FcFiles FcFiles;

typedef struct
{
    const char *pattern; /* of the names, without .fc; see names.h */
    const char *rank;    /* for %r in it */
    const char *job;     /* for %j; NULL: not known */
    gboolean is_unique;  /* where a file of an earlier session has the name there is a number behind
                            it */
    gboolean is_first;   /* speaks for the others of its job */
    gboolean use_pid;
    guint keep;     /* how many profiles of earlier runs are kept */
    gboolean quiet; /* no notice says how the file of another run is called now */
} FcFilesNaming;

/* Copies what it needs of `naming`.  `directory` is relative to the current directory, which may
 * change afterwards.  It is opened by fc_files_check or the first write; if that fails, again at
 * each write. */
FcFiles *fc_files_new(const char *directory, const FcFilesNaming *naming);
void fc_files_free(FcFiles *files);

/* FALSE and *error: the folder can't be opened. */
gboolean fc_files_check(FcFiles *files, GError **error);

/* Writes the profile of process or thread `id`.  If another run has written its file there
 * meanwhile, that one gets another name, which *trouble says.  `several`: it is, or may be, one
 * of several profiles of the session.  The descriptor lists them by `order`.
 *
 * What can't be written to the folder goes to a new one in $TMPDIR, and no file of that name is
 * left where it should have gone. *trouble then says so; the caller frees it; NULL: there is
 * nothing to say, or it was said before.  FALSE: nothing was written at all. */
gboolean fc_files_write(FcFiles *files, const FcProfile *profile, gint64 id, gint64 parent,
                        gboolean is_thread, gboolean several, guint64 order, char **trouble);

/* A snapshot of process `id`, which goes on. */
typedef struct
{
    gint64 id;
    const char *name; /* in place of a number; NULL: */
    guint number;     /* from 1, and */
    guint keep;       /* so many of the session's stay, this one among them */
    const char *unique_id;
} FcFilesSnapshot;

/* Writes it as NAME.ID.snapshot-NUMBER.fc, or with the snapshot's name there, and deletes the one
 * that is not to stay any more. */
gboolean fc_files_write_snapshot(FcFiles *files, const FcProfile *profile,
                                 const FcFilesSnapshot *snapshot, GError **error);

/* The same for the descriptor file, if there is more than one profile or may be.  `root_pid` and
 * `program` are those of the first process. */
gboolean fc_files_describe(FcFiles *files, gint64 root_pid, const char *program, gint64 started,
                           gint64 ended, char **trouble);

/* The session is over: a profile that turned out to be the only one gets its plain name.
 * *trouble as above. */
void fc_files_name_only_one(FcFiles *files, char **trouble);

guint fc_files_count(const FcFiles *files);

/* The path to print: the descriptor file's if there is one, otherwise the last profile's; NULL:
 * nothing was written.  The caller frees it. */
char *fc_files_main_path(const FcFiles *files);
