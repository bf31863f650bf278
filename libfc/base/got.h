/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Leads the calls of a module that was not linked with libfc to its interposers.
 */
#pragma once

#include <link.h>

struct FcInterposer
{
    const char *name;
    void *function;
};

/* Points the entries of the object's own global offset table for `interposers` at these; the list
 * ends with a NULL name.  Only while the loader fills in no object's table: a constructor may call
 * it, as its own thread has the loader's lock.
 * Takes no memory.  An object whose table cannot be written is left as it is. */
void fc_got_redirect(const struct dl_phdr_info *object, const struct FcInterposer *interposers);
