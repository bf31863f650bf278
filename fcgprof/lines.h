/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source file, line and function of an address, as GNU gprof's library for object
 * files answers it; its choices among overlapping answers, and even the state that
 * it keeps between questions, show in the reports of -l, so they are kept.
 * Called by the makers of the symbol table only.  One thread.
 */
#pragma once

#include "fcgprof/image.h"

typedef struct FcGLines FcGLines;

typedef struct
{
    const char *file; /* equal paths are the same pointer; owned by FcGLines */
    const char *function;
    int line;
} FcGLine;

/* Never fails: an image without debugging information just has no lines. */
FcGLines *fc_glines_new(FcGImage *image);
void fc_glines_free(FcGLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGLines, fc_glines_free)

/* False if file, line or function of `addr` is unknown. */
gboolean fc_glines_find(FcGLines *lines, guint64 addr, FcGLine *out);

/* The next address behind that of the last question where the answer can differ. */
guint64 fc_glines_next_change(const FcGLines *lines);
