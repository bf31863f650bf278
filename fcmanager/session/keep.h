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
        began; /* when this run began, by CLOCK_REALTIME; newer files belong to concurrent runs */
    struct stat own; /* a file that this run wrote; st_ino is 0 if there is none */
} FcKeepRule;

typedef struct
{
    struct stat status; /* of the file, once it has its name */
    gboolean replaced;  /* a file of an earlier run was deleted */
    char *beside; /* the new name of a file that a concurrent run wrote; owned; NULL: there was none
                   */
} FcKeepPlaced;

void fc_keep_placed_clear(FcKeepPlaced *placed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FcKeepPlaced, fc_keep_placed_clear)

/* If the folder `dirfd` has a file `name`, gives that its next older name.  Then, if there are more
 * than `rule->keep` files, deletes one that was there when this run began, and the profiles that it
 * lists.  FALSE and errno: that failed. */
gboolean fc_keep_move(int dirfd, const char *name, const FcKeepRule *rule);

/* Renames the file `from` to `name`, and sets its time to now.  A file that has this name is moved,
 * or replaced if `rule` allows it.  FALSE and errno: that failed, and `from` is still there. */
gboolean fc_keep_put(int dirfd, const char *from, const char *name, const FcKeepRule *rule,
                     FcKeepPlaced *placed);

/* Removes the name `name`: moves the file if `rule` keeps files, otherwise deletes it.  FALSE and
 * errno: it is still there, possibly because it belongs to a concurrent run (EEXIST). */
gboolean fc_keep_take_away(int dirfd, const char *name, const FcKeepRule *rule);

/* Whether `name` is a profile or descriptor of the same user that was there when this run began. */
gboolean fc_keep_is_older(int dirfd, const char *name, const FcKeepRule *rule);

/* Whether `name` is a file that another run wrote since this one began. */
gboolean fc_keep_is_beside(int dirfd, const char *name, const FcKeepRule *rule);

/* Deletes the file that this run wrote, unless another run's file has taken its name. */
void fc_keep_delete_own(int dirfd, const char *name, const FcKeepRule *rule);
