/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The header of a DWARF line number program, versions 2 to 5: how its opcodes are to be
 * read, and the files that rows refer to by number.  Used by line-table.c only, which
 * runs the program.  Reads untrusted bytes: every read is checked.
 */
#pragma once

#include "fcgprof/line-reader.h"

/* Section contents that a line program refers to; any may be NULL with size 0. */
typedef struct
{
    const guint8 *line;
    gsize line_bytes;
    const guint8 *line_str;
    gsize line_str_bytes;
    const guint8 *str;
    gsize str_bytes;
    gboolean is_big_endian;
} FcGLineSections;

/* Borrows `sections`, `comp_dir` and `strings`, and the bytes read from. */
typedef struct
{
    const FcGLineSections *sections;
    const char *comp_dir;
    GStringChunk *strings;
    GArray *dirs;       /* of const char* */
    GArray *files;      /* of name and directory */
    const char **paths; /* of files, filled when first needed */
    guint n_paths;
    guint version;
    guint offset_bytes;
    guint addr_bytes;
    guint min_inst_bytes;
    guint line_range; /* never 0 */
    int line_base;
    guint opcode_base; /* never 0 */
    const guint8 *opcode_operands;
} FcGLineHeader;

/* `comp_dir` may be NULL.  To be cleared, also if nothing is read. */
void fc_gline_header_init(FcGLineHeader *header, const FcGLineSections *sections,
                          const char *comp_dir, guint addr_bytes, GStringChunk *strings);
void fc_gline_header_clear(FcGLineHeader *header);

/* Reads up to the first opcode; `reader` is left with just the program.  FALSE if it is
 * malformed or of an unknown version. */
gboolean fc_gline_header_read(FcGLineHeader *header, FcGLineReader *reader);

/* A further file called `name`; the rest of its entry is read from `reader`. */
void fc_gline_header_add_file(FcGLineHeader *header, FcGLineReader *reader, const char *name);

/* The path of file number `number`, put into the strings as a constant: as it is if
 * absolute, else behind its directory, which is behind the directory of compilation
 * unless absolute itself. */
const char *fc_gline_header_path(FcGLineHeader *header, guint64 number);
