/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From linkage names to names to show: C++ and Rust.  Called by symbols.c, and by whoever has a
 * linkage name and wants another form of it.  A name that can't be read is shown as it is, and so
 * is one whose readable form would have no end: names come from strangers.  Any thread.
 */
#pragma once

#include <glib.h>

typedef enum
{
    FC_DEMANGLE_NONE,
    FC_DEMANGLE_PLAIN,  /* names without parameters */
    FC_DEMANGLE_PARAMS, /* with parameters */
} FcDemangle;

/* The name to show for linkage name `raw`; the caller frees it. */
char *fc_demangle_name(const char *raw, FcDemangle style);

/* Which of the several functions that a compiler makes of one C++ constructor or destructor
 * linkage name `raw` is: a static text, or NULL where it is none. */
const char *fc_demangle_variant(const char *raw);

/* Whether the readable form of `raw`, of C++, Rust or D, is short enough for it to be asked for
 * elsewhere.  TRUE where it has none. */
gboolean fc_demangle_has_bounds(const char *raw);
