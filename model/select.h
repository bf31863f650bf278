/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions are shown: --only, --not and how far these reach.  Called by main
 * once, before any report; changes nothing but `shown` and `excluded`.
 */
#pragma once

#include "model/model.h"

typedef struct
{
    const GPtrArray *only; /* patterns: names, with *?[] or plain, or 0xADDRESS */
    const GPtrArray *except;
    gboolean callees; /* both lists also mean all that is called from their functions */
    gboolean callers; /* ... all that calls them */
} FcSelection;

/* Patterns that fit no function are appended, as fc_select_missing makes them: those of `only` to
 * `missing`, those of `except`, which leave out nothing then, to `warnings` (owned strings). */
void fc_select_apply(FcModel *model, const FcSelection *selection, GPtrArray *missing,
                     GPtrArray *warnings);

/* "OPTION: 'PATTERN' fits no WHAT of", before the names of files.  The caller owns the result. */
char *fc_select_missing(const char *option, const char *pattern, const char *what);

/* Sets the entries of `set`, one a function, whose functions fit one of the patterns; those that
 * fit none are appended to `missing` as above. */
void fc_select_mark_all(const FcModel *model, const GPtrArray *patterns, const char *option,
                        gboolean *set, GPtrArray *missing);

/* Sets the entries of `set`, one a function, whose functions fit the pattern; whether there are
 * any. */
gboolean fc_select_mark(const FcModel *model, const char *pattern, gboolean *set);
