/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the fcmanager to start: that of FC_MANAGER, or the one that was installed with libfc, or
 * one of PATH.  trust.h says which of them may be used; a notice tells of one that may not, and
 * why.
 */
#pragma once

#include "libfc/base/writers.h"

struct FcFound
{
    bool is_there;
    char path[FC_WRITERS_PATH];  /* of fcmanager, checked, and without links */
    char tried[FC_WRITERS_PATH]; /* the file that `error` is about */
    volatile long error;         /* -errno; 0: none so far */
};

/* Fills in `found`, all zero before.  Once, by the thread that starts the session. */
void fc_find_manager(struct FcFound *found);

/* `path` can't be used.  Of several reasons the most telling stays, any but "not there". */
void fc_find_note_error(struct FcFound *found, const char *path, long error);
