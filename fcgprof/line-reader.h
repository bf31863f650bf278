/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The numbers and strings that a DWARF line number program is made of.  Bytes are
 * untrusted: reading behind the end gives 0 or "", sets `failed` and leaves nothing to
 * read.  Used by line-header.c and line-table.c only; knows nothing of what it reads.
 */
#pragma once

#include <glib.h>

/* Borrows the bytes between `at` and `end`. */
typedef struct
{
    const guint8 *at;
    const guint8 *end;
    gboolean is_big_endian;
    gboolean failed;
} FcGLineReader;

/* A number of `n_bytes` bytes, at most 8. */
guint64 fc_gline_read_uint(FcGLineReader *reader, guint n_bytes);
/* Numbers of variable length; bits beyond the 64th are lost. */
guint64 fc_gline_read_uleb(FcGLineReader *reader);
gint64 fc_gline_read_sleb(FcGLineReader *reader);
/* A string with its NUL, where it stands. */
const char *fc_gline_read_string(FcGLineReader *reader);
