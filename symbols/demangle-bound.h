/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much work it is to write a C++ name down, before that is done: a name of 500 bytes may have a
 * readable form of 2^45 parts, as each refers to parts before it.  Called by demangle.c alone.  Any
 * thread.
 */
#pragma once

#include <glib.h>
#include <libiberty/demangle.h>

/* Whether libiberty needs at most `limit` steps and characters, as near as can be told from the
 * way it goes through `tree`.  Takes no longer than that itself. */
gboolean fc_demangle_is_bounded(const struct demangle_component *tree, gsize limit);
