/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles of child processes, one for all that have the same image and arguments (FC_CHILDREN).
 * Otherwise a run of 2,000 compilers would leave 2,000 files.  Used by session-files.c.
 */
#pragma once

#include "fcmanager/session/files.h"
#include "libfc/fc-format.h"

typedef struct FcChildren FcChildren;

/* `files` stays the caller's. */
FcChildren *fc_children_new(enum FcChildrenMode mode, FcFiles *files);
/* Frees the sums; writes nothing. */
void fc_children_free(FcChildren *children);

/* Whether the profile of the next child is to be summed. */
gboolean fc_children_are_summed(const FcChildren *children);

/* A child's profile has a file of its own.  If there are to be too many, fc_children_add reads a
 * few of these files each time, sums them as well and removes them. */
void fc_children_note_apart(FcChildren *children, guint64 order);
/* Does this with all that are left, if it has begun.  *trouble as for fc_files_write. */
void fc_children_gather(FcChildren *children, char **trouble);

/* Adds a child's profile, which it takes over, to the sum of its kind.  `order`: as for
 * fc_files_write.  *trouble as there. */
void fc_children_add(FcChildren *children, FcProfile *profile, guint64 order, char **trouble);

/* Writes the sums that have changed.  Returns how many have their first file now. */
guint fc_children_write(FcChildren *children, char **trouble);
