/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the fcmanager to start: the one that FC_MANAGER names, the one installed with libfc, or one
 * in PATH.  trust.h decides which may be used.  If one may not, a notice names it and the reason.
 */
#pragma once

#include "libfc/base/writers.h"

struct FcFound
{
    bool is_there;
    char path[FC_WRITERS_PATH];  /* of fcmanager, checked, no links in it */
    char tried[FC_WRITERS_PATH]; /* the file to which `error` belongs */
    volatile long error;         /* -errno; 0: none so far */
};

/* Fills in `found`, which is zeroed.  Called once, by the thread that starts the session. */
void fc_find_manager(struct FcFound *found);

/* Notes that `path` can't be used because of `error` (-errno).  The first reason other than
 * ENOENT is kept. */
void fc_find_note_error(struct FcFound *found, const char *path, long error);
