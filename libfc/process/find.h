/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the fcmanager to start: the one of FC_MANAGER, the one that was installed with libfc, or
 * one in PATH. trust.h decides which may be used; a notice names one that may not, and why.
 */
#pragma once

#include "libfc/base/writers.h"

struct FcFound
{
    bool is_there;
    char path[FC_WRITERS_PATH];  /* of fcmanager, checked and without links */
    char tried[FC_WRITERS_PATH]; /* the file to which `error` belongs */
    volatile long error;         /* -errno; 0: none so far */
};

/* Fills in `found`, which is zeroed.  Called once, by the thread that starts the session. */
void fc_find_manager(struct FcFound *found);

/* Notes that `path` can't be used.  Of several reasons the most informative one stays: any but
 * "not there". */
void fc_find_note_error(struct FcFound *found, const char *path, long error);
