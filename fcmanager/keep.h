/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles of earlier runs: which they are, and keeps them (FC_KEEP).  Called by files.c alone.
 * Several managers may do this in one folder at a time: none overwrites what another has just
 * written.
 */
#pragma once

#include <glib.h>
#include <time.h>

/* Gives `name`, in the folder `dirfd`, its next older name, if there is such a file; the one that
 * is older than the last of `keep` is deleted, with the profiles that it lists.  FALSE and errno
 * where that fails. */
gboolean fc_keep_move(int dirfd, const char *name, guint keep);

/* The file `from` becomes `name`, in place of none: what had that name moves first.  FALSE and
 * errno where that fails; `from` is then still there. */
gboolean fc_keep_put(int dirfd, const char *from, const char *name, guint keep);

/* Whether `name` is a profile or descriptor of the same user that was not written after `time`. */
gboolean fc_keep_is_older(int dirfd, const char *name, const struct timespec *time);
