/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that are too long for their column: their outermost scopes go, then their last parameters
 * and template arguments, and where that is not enough the end.  If another function has what is
 * left, the middle goes instead.  Used by render.c and findings.c.
 */
#pragma once

#include <glib.h>

typedef struct FcShortNames FcShortNames;

/* `ellipsis`, a constant, stands for what is left out. */
FcShortNames *fc_short_names_new(const char *ellipsis);
void fc_short_names_free(FcShortNames *names);

/* `name` in at most `width` columns.  Names that differ behind their indentation get different
 * results, unless the indentation leaves next to no room.  If `width` itself is next to none, the
 * whole name.  The caller owns it. */
char *fc_short_names_fit(FcShortNames *names, const char *name, guint width);

/* How many columns its indentation in a tree takes: lines to siblings, or blanks. */
guint fc_short_names_indent(const char *name);

/* `name` with one column of indentation a level in place of three.  The caller owns it. */
char *fc_short_names_narrow(const char *name);

/* `name` in at most `width` columns, for a sentence: without its outermost scopes, then
 * its last parameters, and where that is not enough without its end.  The caller owns it. */
char *fc_short_names_brief(const char *name, guint width, const char *ellipsis);
/* The same without the middle of the function's own name, if two would be the same otherwise. */
char *fc_short_names_ends(const char *name, guint width, const char *ellipsis);
