/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Redirects the calls of a module that was not linked with libfc to the interposers, and those of
 * MPI and of OpenMP's runtime.
 */
#pragma once

#include <link.h>
#include <stdbool.h>

struct FcInterposer
{
    const char *name;
    void *function;
};

/* Points the entries of the object's global offset table that have these names at the
 * interposers; the list ends with a NULL name.  Only while the loader is not filling in any
 * object's table: a constructor may call it, as its thread has the loader's lock.  Allocates
 * nothing.  An object whose table can't be written is left as it is. */
void fc_got_redirect(const struct dl_phdr_info *object, const struct FcInterposer *interposers);

/* The same in all loaded objects but those of a library, if that is loaded.  `choose` returns what
 * an imported name leads to; NULL: the entry stays as it is. */
void fc_got_redirect_users(bool (*is_library)(const struct dl_phdr_info *object),
                           void *(*choose)(const char *name));
