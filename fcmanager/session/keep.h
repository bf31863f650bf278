/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles of earlier runs: which they are, and keeps them (FC_KEEP).  Called by files.c alone.
 * Several managers may do this in one folder at a time: none overwrites what another has just
 * written.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>
#include <time.h>

/* What may go when a file takes a name that another has. */
typedef struct
{
    guint keep; /* files of earlier runs that stay, FC_KEEP */
    struct timespec
        began;       /* when this run did, by CLOCK_REALTIME: what is newer is of a run beside it */
    struct stat own; /* a file that this run itself wrote; st_ino 0: there is none */
} FcKeepRule;

typedef struct
{
    struct stat status; /* of the file, as it is then */
    char *beside;       /* what a file that another run wrote meanwhile is called now; the caller's
                           to free; NULL: there was none */
} FcKeepPlaced;

/* Gives `name`, in the folder `dirfd`, its next older name, if there is such a file.  Then of those
 * behind the last of `rule->keep` one is deleted that was there when this run began, with the
 * profiles that it lists.  FALSE and errno where that fails. */
gboolean fc_keep_move(int dirfd, const char *name, const FcKeepRule *rule);

/* The file `from`, which is then as new as can be, becomes `name`.  What had that name moves, or is
 * replaced if `rule` lets it.  FALSE and errno where that fails; `from` is then still there. */
gboolean fc_keep_put(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                     FcKeepPlaced *placed);

/* `name` is to be there no more: it moves if `rule` keeps files, else it is deleted.  FALSE and
 * errno where it is still there, also because it is of a run beside this one (EEXIST). */
gboolean fc_keep_take_away(int dirfd, const char *name, const FcKeepRule *rule);

/* Whether `name` is a profile or descriptor of the same user that was there when this run began. */
gboolean fc_keep_is_older(int dirfd, const char *name, const FcKeepRule *rule);

/* Whether `name` is a file that another run wrote since this one began. */
gboolean fc_keep_is_beside(int dirfd, const char *name, const FcKeepRule *rule);

/* Deletes the file that this run itself wrote, unless another run's has its name by now. */
void fc_keep_delete_own(int dirfd, const char *name, const FcKeepRule *rule);
