/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of one DWARF line number program, versions 2 to 5, grouped in sequences.
 * Decoded here and not by libdw, because libdw merges and sorts the sequences and so
 * forgets what decides between overlapping ones.  Reads untrusted bytes: every read
 * is checked.  Used by line-units.c only.
 */
#pragma once

#include "fcgprof/line-header.h"

typedef struct
{
    guint64 addr;
    const char *file; /* NULL or interned in the chunk given */
    guint line;
} FcGLineRow;

typedef struct FcGLineTable FcGLineTable;

/* Decodes the program at `offset`.  `comp_dir` may be NULL; file names are put into
 * `strings` as constants.  NULL if it is malformed beyond use. */
FcGLineTable *fc_gline_table_new(const FcGLineSections *sections, guint64 offset, guint addr_bytes,
                                 const char *comp_dir, GStringChunk *strings);
void fc_gline_table_free(FcGLineTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGLineTable, fc_gline_table_free)

/* The row covering `addr`, or NULL.  `*until` becomes the least address above `addr`,
 * if that is less than what it holds, where the answer changes. */
const FcGLineRow *fc_gline_table_find(const FcGLineTable *table, guint64 addr, guint64 *until);

/* Calls `visit` with the range of each sequence, as they stand in the file. */
void fc_gline_table_each_sequence(const FcGLineTable *table,
                                  void (*visit)(guint64 low, guint64 high, gpointer data),
                                  gpointer data);
