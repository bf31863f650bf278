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

/* A pattern that fits no function is appended to `warnings` (owned strings). */
void fc_select_apply(FcModel *model, const FcSelection *selection, GPtrArray *warnings);

/* Sets the entries of `set`, one a function, whose functions fit the pattern; whether there are
 * any. */
gboolean fc_select_mark(const FcModel *model, const char *pattern, gboolean *set);
