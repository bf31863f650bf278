/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates how much work it is to demangle a C++ name before that is done: a name of 500 bytes may
 * have a readable form of 2^45 parts, as each part may refer to earlier ones.  Called by demangle.c
 * alone.  Any thread.
 */
#pragma once

#include <glib.h>
#include <libiberty/demangle.h>

/* Whether libiberty needs at most `limit` steps and characters to print `tree`.  An estimate, which
 * takes no more steps than that itself. */
gboolean fc_demangle_is_bounded(const struct demangle_component *tree, gsize limit);
