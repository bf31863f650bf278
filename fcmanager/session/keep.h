/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds profiles of earlier runs, and keeps them (FC_KEEP).  Called by files.c only.  Several
 * managers may do this in one folder at the same time: none overwrites what another has just
 * written.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>
#include <time.h>

/* What may be deleted or renamed when a file takes a name that another file has. */
typedef struct
{
    guint keep; /* FC_KEEP: how many files of earlier runs stay */
    struct timespec
        began; /* when this run began, by CLOCK_REALTIME: newer files belong to runs beside it */
    struct stat own; /* a file that this run wrote; st_ino 0: there is none */
} FcKeepRule;

typedef struct
{
    struct stat status; /* of the file, as it is then */
    gboolean replaced;  /* a file of an earlier run is gone */
    char *beside; /* the new name of a file that another run wrote meanwhile; owned; NULL: there was
                     none */
} FcKeepPlaced;

void fc_keep_placed_clear(FcKeepPlaced *placed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FcKeepPlaced, fc_keep_placed_clear)

/* If there is a file `name` in the folder `dirfd`, gives it its next older name.  Then, of the
 * files beyond the last of `rule->keep`, deletes one that was there when this run began, with
 * the profiles that it lists.  FALSE and errno: that failed. */
gboolean fc_keep_move(int dirfd, const char *name, const FcKeepRule *rule);

/* Renames the file `from`, which is up to date then, to `name`.  A file that has this name is
 * moved, or replaced if `rule` allows it.  FALSE and errno: that failed, and `from` is still
 * there. */
gboolean fc_keep_put(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                     FcKeepPlaced *placed);

/* Removes the name `name`: the file is moved if `rule` keeps files, otherwise deleted.  FALSE
 * and errno: it is still there, possibly because it belongs to a run beside this one (EEXIST). */
gboolean fc_keep_take_away(int dirfd, const char *name, const FcKeepRule *rule);

/* Whether `name` is a profile or descriptor of the same user that was there when this run began. */
gboolean fc_keep_is_older(int dirfd, const char *name, const FcKeepRule *rule);

/* Whether `name` is a file that another run wrote since this one began. */
gboolean fc_keep_is_beside(int dirfd, const char *name, const FcKeepRule *rule);

/* Deletes the file that this run wrote, unless another run's file has its name by now. */
void fc_keep_delete_own(int dirfd, const char *name, const FcKeepRule *rule);
