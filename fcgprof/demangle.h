/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of C++ and the like as they are in the source.
 */
#pragma once

#include <glib.h>

/* Chooses the style for the whole process.  False if it is unknown. */
gboolean fc_gdemangle_set_style(const char *style);

/* NULL if there is nothing to demangle.  Dots and dollars in front, and a version or section of
 * the linker's behind an '@', are kept around what is demangled.  The caller frees it. */
char *fc_gdemangle(const char *name);
