/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stack of an allocation or a free by lines of the source: with the functions that were
 * inlined, and which line is the program's own.  Called by the reports and exports of memory.
 */
#pragma once

#include "model/memory.h"

typedef struct
{
    const char *name;  /* as those of FcMemoryFrame */
    const char *label; /* likewise */
    const char *file;  /* NULL: not known, or FcMemoryFrame.no_line */
    guint line;
    guint64 address;     /* of the frame that it is in */
    gboolean is_systems; /* a header's or a library's of the system */
} FcMemoryLine;

/* FcMemoryLine, the innermost first.  The caller owns it. */
GArray *fc_memory_lines(const FcModel *model, const FcProfileHeapPoint *point);

/* The first of `lines` that is not the system's; 0 where all are, or there is none. */
guint fc_memory_own_line(const GArray *lines);
