/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A function that is defined in a header is compiled into each unit that includes it, and of some
 * gcc makes clones ("f.part.0", "f.isra.0"): the module has it several times.  Called by load.c
 * when functions are made; never prints.
 */
#pragma once

#include "model/model.h"

/* Of each function the first one that is the same definition: local to its unit as that one, in the
 * same module, with the same name, declared at the same line of the same file; or a clone of it, or
 * of the same function.  A function that has
 * no copies is its own first.  What lacks line numbers has none.  The caller owns the result. */
guint *fc_copies_find(const FcModel *model);

/* Makes one function of all that have the same `first`: calls and times are summed, but time in
 * which one copy called another, directly or not, counts once in the total. */
void fc_copies_merge(FcModel *model, const guint *first);
