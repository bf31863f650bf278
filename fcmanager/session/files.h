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
    gboolean is_unique;  /* adds a number to the name if a file of an earlier session has it */
    gboolean is_first;   /* the first process of its job: it prints notices for all */
    gboolean use_pid;
    guint keep;     /* how many profiles of earlier runs stay */
    gboolean quiet; /* print no notice of the new name of another run's file */
} FcFilesNaming;

/* Copies what it needs of `naming`.  `directory` is relative to the current directory, which may
 * change afterwards.  fc_files_check or the first write opens it; if that fails, each later write
 * tries again. */
FcFiles *fc_files_new(const char *directory, const FcFilesNaming *naming);
void fc_files_free(FcFiles *files);
/* `unique_id` is in all profiles of this session. */
void fc_files_set_session(FcFiles *files, const char *unique_id);

/* FALSE and *error: the folder can't be opened. */
gboolean fc_files_check(FcFiles *files, GError **error);

/* Writes the profile of process or thread `id`.  If a concurrent run has written a file of the same
 * name, that file is renamed, and *trouble says so.  `several`: the session has, or may have,
 * several profiles.  The descriptor lists them by `order`.
 *
 * If the folder can't be written to, the file goes to a new folder in $TMPDIR, and no old file of
 * that name is left in the first folder.  *trouble then says so; the caller frees it.  *trouble is
 * NULL if there is nothing to say, or it was said before.  FALSE: nothing was written at all. */
gboolean fc_files_write(FcFiles *files, const FcProfile *profile, gint64 id, gint64 parent,
                        gboolean is_thread, gboolean several, guint64 order, char **trouble);

/* Writes the profile with that order again.  If its file is not this session's any more, it gets
 * another name.  *trouble as above. */
void fc_files_write_again(FcFiles *files, const FcProfile *profile, guint64 order, char **trouble);

/* Returns the profile with that order, from its file; the caller frees it.  NULL: it is not there,
 * or not this session's. */
FcProfile *fc_files_read(FcFiles *files, guint64 order);

/* Removes the file of the profile with that order, and its entry of the descriptor. */
void fc_files_remove(FcFiles *files, guint64 order);

/* A snapshot of process `id`, which continues to run. */
typedef struct
{
    gint64 id;
    const char *name; /* takes the place of a number; NULL: `number` is used */
    guint number;     /* from 1 on */
    guint keep;       /* how many snapshots of the session stay, this one included */
} FcFilesSnapshot;

/* Writes the snapshot as NAME.ID.snapshot-NUMBER.fc, or with its name in place of NUMBER.  Deletes
 * the snapshot that is now one too many.  FALSE and *error: it was not written. */
gboolean fc_files_write_snapshot(FcFiles *files, const FcProfile *profile,
                                 const FcFilesSnapshot *snapshot, GError **error);

/* The two are for a profile of a process that still runs, under the name that its profile will have
 * if it is the only one.  What is written later, to that name or others, takes its place.  The
 * first chooses the name; the second may be called in a child, and returns FALSE if there is no
 * such file.  A file that a concurrent run wrote stays in its place. */
void fc_files_begin_early(FcFiles *files, gint64 id, const char *program);
gboolean fc_files_write_early(FcFiles *files, const FcProfile *profile);

/* Writes the descriptor file if there is, or may be, more than one profile.  `root_pid` and
 * `program` are those of the first process.  FALSE and *trouble as for fc_files_write. */
gboolean fc_files_describe(FcFiles *files, gint64 root_pid, const char *program, gint64 started,
                           gint64 ended, char **trouble);

/* The session is over: a profile that turned out to be the only one gets its plain name.
 * *trouble as above. */
void fc_files_name_only_one(FcFiles *files, char **trouble);

guint fc_files_count(const FcFiles *files);

/* The path to print: the descriptor file's if there is one, otherwise the last profile's; NULL:
 * nothing was written.  The caller frees it. */
char *fc_files_main_path(const FcFiles *files);
