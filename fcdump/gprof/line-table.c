/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs line number programs.  See line-table.h.
 */
#include "fcdump/gprof/line-table.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
    const guint8 *at;
    const guint8 *end;
    gboolean is_big_endian;
    gboolean failed;
} Reader;

typedef struct
{
    guint64 low;
    guint64 high;
    guint first; /* row */
    guint n;     /* rows, the last is the end marker */
    guint order; /* of appearance */
} Sequence;

typedef struct
{
    const char *name;
    guint64 dir;
} FileEntry;

struct FcGLineTable
{
    GArray *rows; /* of FcGLineRow */
    GArray *sequences;
};

typedef struct
{
    FcGLineTable *table;
    const FcGLineSections *sections;
    const char *comp_dir;
    GStringChunk *strings;
    GArray *dirs;       /* of const char* */
    GArray *files;      /* of FileEntry */
    const char **paths; /* of files, filled when first needed */
    guint n_paths;
    guint version;
    guint offset_bytes;
    guint addr_bytes;
    guint min_inst_bytes;
    guint line_range;
    int line_base;
    guint opcode_base;
    const guint8 *opcode_operands;
} Program;

static guint64 read_uint(Reader *reader, guint n_bytes)
{
    guint64 value = 0;

    if ((gsize)(reader->end - reader->at) < n_bytes)
    {
        reader->failed = TRUE;
        reader->at = reader->end;
        return 0;
    }
    for (guint i = 0; i < n_bytes; i++)
    {
        guint shift = reader->is_big_endian ? n_bytes - 1 - i : i;

        value |= (guint64)reader->at[i] << (8 * shift);
    }
    reader->at += n_bytes;
    return value;
}

static guint64 read_uleb(Reader *reader)
{
    guint64 value = 0;
    guint shift = 0;

    for (;;)
    {
        guint8 byte = (guint8)read_uint(reader, 1);

        if (reader->failed)
            return 0;
        if (shift < 64)
            value |= (guint64)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            return value;
    }
}

static gint64 read_sleb(Reader *reader)
{
    guint64 value = 0;
    guint shift = 0;
    guint8 byte;

    do
    {
        byte = (guint8)read_uint(reader, 1);
        if (reader->failed)
            return 0;
        if (shift < 64)
            value |= (guint64)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40))
        value |= ~(guint64)0 << shift;
    return (gint64)value;
}

static const char *read_string(Reader *reader)
{
    const guint8 *start = reader->at;
    const guint8 *nul = memchr(start, 0, (gsize)(reader->end - start));

    if (!nul)
    {
        reader->failed = TRUE;
        reader->at = reader->end;
        return "";
    }
    reader->at = nul + 1;
    return (const char *)start;
}

static const char *string_at(const guint8 *section, gsize n_bytes, guint64 offset)
{
    if (offset >= n_bytes || !memchr(section + offset, 0, n_bytes - offset))
        return NULL;
    return (const char *)section + offset;
}

/* One attribute of a directory or file entry of version 5. */
static void read_form(Program *program, Reader *reader, guint64 form, const char **text,
                      guint64 *number)
{
    const FcGLineSections *sections = program->sections;
    guint64 length;

    switch (form)
    {
    case DW_FORM_string:
        *text = read_string(reader);
        break;
    case DW_FORM_line_strp:
        *text = string_at(sections->line_str, sections->line_str_bytes,
                          read_uint(reader, program->offset_bytes));
        break;
    case DW_FORM_strp:
        *text =
            string_at(sections->str, sections->str_bytes, read_uint(reader, program->offset_bytes));
        break;
    case DW_FORM_udata:
        *number = read_uleb(reader);
        break;
    case DW_FORM_data1:
        *number = read_uint(reader, 1);
        break;
    case DW_FORM_data2:
        *number = read_uint(reader, 2);
        break;
    case DW_FORM_data4:
        *number = read_uint(reader, 4);
        break;
    case DW_FORM_data8:
        *number = read_uint(reader, 8);
        break;
    case DW_FORM_data16:
        read_uint(reader, 8);
        read_uint(reader, 8);
        break;
    case DW_FORM_block:
        length = read_uleb(reader);
        if (length > (guint64)(reader->end - reader->at))
            reader->failed = TRUE;
        else
            reader->at += length;
        break;
    default:
        reader->failed = TRUE;
    }
}

/* A table of directories (files NULL) or of files, version 5. */
static void read_entries(Program *program, Reader *reader, gboolean is_files)
{
    guint n_formats = (guint)read_uint(reader, 1);
    const guint8 *formats = reader->at;
    guint64 n;

    for (guint i = 0; i < n_formats; i++)
    {
        read_uleb(reader);
        read_uleb(reader);
    }
    n = read_uleb(reader);
    for (guint64 i = 0; i < n && !reader->failed && n_formats > 0; i++)
    {
        Reader format = {formats, reader->end, reader->is_big_endian, FALSE};
        FileEntry entry = {0};

        for (guint k = 0; k < n_formats; k++)
        {
            guint64 content = read_uleb(&format), form = read_uleb(&format), number = 0;
            const char *text = NULL;

            read_form(program, reader, form, &text, &number);
            if (content == DW_LNCT_path)
                entry.name = text;
            else if (content == DW_LNCT_directory_index)
                entry.dir = number;
        }
        if (is_files)
            g_array_append_val(program->files, entry);
        else
            g_array_append_val(program->dirs, entry.name);
    }
}

static void read_file_entry(Program *program, Reader *reader, const char *name)
{
    FileEntry entry = {.name = name};

    entry.dir = read_uleb(reader);
    read_uleb(reader);
    read_uleb(reader);
    g_array_append_val(program->files, entry);
}

static void read_old_entries(Program *program, Reader *reader)
{
    const char *name;

    while (!reader->failed && *(name = read_string(reader)))
        g_array_append_val(program->dirs, name);
    while (!reader->failed && *(name = read_string(reader)))
        read_file_entry(program, reader, name);
}

/* The path of file number `number`: as it is if absolute, else behind its directory,
 * which is behind the directory of compilation unless absolute itself. */
static const char *make_path(Program *program, guint64 number)
{
    gboolean from_zero = program->version >= 5;
    guint64 index = from_zero ? number : number - 1;
    const char *dir = NULL, *base;
    const FileEntry *entry;
    g_autofree char *path = NULL;
    guint64 dir_index;

    if (index >= program->files->len)
        return "<unknown>";
    entry = &g_array_index(program->files, FileEntry, index);
    if (!entry->name)
        return "<unknown>";
    if (entry->name[0] == '/')
        return g_string_chunk_insert_const(program->strings, entry->name);
    dir_index = from_zero ? entry->dir : entry->dir - 1;
    if (dir_index < program->dirs->len)
        dir = g_array_index(program->dirs, const char *, dir_index);
    base = !dir || dir[0] != '/' ? program->comp_dir : NULL;
    if (base && dir)
        path = g_strdup_printf("%s/%s/%s", base, dir, entry->name);
    else if (base || dir)
        path = g_strdup_printf("%s/%s", base ? base : dir, entry->name);
    return g_string_chunk_insert_const(program->strings, path ? path : entry->name);
}

static const char *file_path(Program *program, guint64 number)
{
    if (number >= program->files->len + 1)
        return g_string_chunk_insert_const(program->strings, make_path(program, number));
    if (program->n_paths < program->files->len + 1)
    {
        program->paths = g_renew(const char *, program->paths, program->files->len + 1);
        for (guint i = program->n_paths; i < program->files->len + 1; i++)
            program->paths[i] = NULL;
        program->n_paths = program->files->len + 1;
    }
    if (!program->paths[number])
        program->paths[number] =
            g_string_chunk_insert_const(program->strings, make_path(program, number));
    return program->paths[number];
}

typedef struct
{
    guint64 addr;
    const char *file;
    guint line;
    guint first_row;
    gboolean is_sorted;
} Machine;

static int compare_rows(const void *a, const void *b)
{
    const FcGLineRow *left = a, *right = b;

    return left->addr < right->addr ? -1 : left->addr > right->addr;
}

/* Of rows of one address the last counts. */
static void add_row(Program *program, Machine *machine)
{
    GArray *rows = program->table->rows;
    FcGLineRow row = {machine->addr, machine->file, machine->line};

    if (rows->len > machine->first_row)
    {
        FcGLineRow *last = &g_array_index(rows, FcGLineRow, rows->len - 1);

        if (last->addr == row.addr)
        {
            *last = row;
            return;
        }
        if (last->addr > row.addr)
            machine->is_sorted = FALSE;
    }
    g_array_append_val(rows, row);
}

static void start_sequence(Program *program, Machine *machine)
{
    machine->addr = 0;
    machine->line = 1;
    machine->file = NULL;
    if (program->files->len > 0)
        machine->file = file_path(program, program->version >= 5 ? 0 : 1);
    machine->first_row = program->table->rows->len;
    machine->is_sorted = TRUE;
}

static void end_sequence(Program *program, Machine *machine)
{
    GArray *rows = program->table->rows;
    Sequence sequence = {.first = machine->first_row};
    FcGLineRow end_row = {machine->addr, NULL, 0};

    if (rows->len == machine->first_row)
        return;
    if (!machine->is_sorted)
    {
        FcGLineRow *first = &g_array_index(rows, FcGLineRow, machine->first_row);

        qsort(first, rows->len - machine->first_row, sizeof *first, compare_rows);
    }
    g_array_append_val(rows, end_row);
    sequence.low = g_array_index(rows, FcGLineRow, machine->first_row).addr;
    sequence.high = machine->addr;
    sequence.n = rows->len - machine->first_row;
    sequence.order = program->table->sequences->len;
    g_array_append_val(program->table->sequences, sequence);
}

static void run_extended(Program *program, Reader *reader, Machine *machine)
{
    guint64 length = read_uleb(reader);
    Reader inner = *reader;
    guint opcode;

    if (reader->failed || length > (guint64)(reader->end - reader->at))
    {
        reader->failed = TRUE;
        return;
    }
    reader->at += length;
    inner.end = reader->at;
    if (length == 0)
        return;
    opcode = (guint)read_uint(&inner, 1);
    if (opcode == DW_LNE_end_sequence)
    {
        end_sequence(program, machine);
        start_sequence(program, machine);
    }
    else if (opcode == DW_LNE_set_address)
    {
        machine->addr = read_uint(&inner, MIN((guint)length - 1, program->addr_bytes));
    }
    else if (opcode == DW_LNE_define_file)
    {
        read_file_entry(program, &inner, read_string(&inner));
    }
}

static void run_standard(Program *program, Reader *reader, Machine *machine, guint opcode)
{
    switch (opcode)
    {
    case DW_LNS_copy:
        add_row(program, machine);
        break;
    case DW_LNS_advance_pc:
        machine->addr += read_uleb(reader) * program->min_inst_bytes;
        break;
    case DW_LNS_advance_line:
        machine->line += (guint)read_sleb(reader);
        break;
    case DW_LNS_set_file:
        machine->file = file_path(program, read_uleb(reader));
        break;
    case DW_LNS_const_add_pc:
        machine->addr +=
            (guint64)((255 - program->opcode_base) / program->line_range) * program->min_inst_bytes;
        break;
    case DW_LNS_fixed_advance_pc:
        machine->addr += read_uint(reader, 2);
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    default: /* set_column, set_isa and what later versions may add */
        for (guint i = 0; i < program->opcode_operands[opcode - 1]; i++)
            read_uleb(reader);
    }
}

static void run(Program *program, Reader *reader)
{
    Machine machine = {0};

    start_sequence(program, &machine);
    while (reader->at < reader->end && !reader->failed)
    {
        guint opcode = (guint)read_uint(reader, 1);

        if (opcode >= program->opcode_base)
        {
            guint adjusted = opcode - program->opcode_base;

            machine.addr += (guint64)(adjusted / program->line_range) * program->min_inst_bytes;
            machine.line += (guint)(program->line_base + (int)(adjusted % program->line_range));
            add_row(program, &machine);
        }
        else if (opcode == 0)
        {
            run_extended(program, reader, &machine);
        }
        else
        {
            run_standard(program, reader, &machine, opcode);
        }
    }
    /* Rows without an end cover nothing. */
    g_array_set_size(program->table->rows, machine.first_row);
}

/* Reads up to the first opcode; `reader` is left with just the program. */
static gboolean read_header(Program *program, Reader *reader)
{
    guint64 length = read_uint(reader, 4), header_length;
    const guint8 *start;

    program->offset_bytes = 4;
    if (length == 0xffffffff)
    {
        program->offset_bytes = 8;
        length = read_uint(reader, 8);
    }
    if (reader->failed || length > (guint64)(reader->end - reader->at))
        return FALSE;
    reader->end = reader->at + length;
    program->version = (guint)read_uint(reader, 2);
    if (program->version < 2 || program->version > 5)
        return FALSE;
    if (program->version >= 5)
    {
        program->addr_bytes = (guint)read_uint(reader, 1);
        read_uint(reader, 1);
    }
    header_length = read_uint(reader, program->offset_bytes);
    if (reader->failed || header_length > (guint64)(reader->end - reader->at))
        return FALSE;
    start = reader->at + header_length;
    program->min_inst_bytes = (guint)read_uint(reader, 1);
    if (program->version >= 4)
        read_uint(reader, 1);
    read_uint(reader, 1);
    program->line_base = (gint8)read_uint(reader, 1);
    program->line_range = (guint)read_uint(reader, 1);
    program->opcode_base = (guint)read_uint(reader, 1);
    program->opcode_operands = reader->at;
    if (program->line_range == 0 || program->opcode_base == 0 ||
        (gsize)(reader->end - reader->at) < program->opcode_base)
        return FALSE;
    reader->at += program->opcode_base - 1;
    if (program->version >= 5)
    {
        read_entries(program, reader, FALSE);
        read_entries(program, reader, TRUE);
    }
    else
    {
        read_old_entries(program, reader);
    }
    if (reader->failed)
        return FALSE;
    reader->at = start;
    return TRUE;
}

static int compare_sequences(const void *a, const void *b)
{
    const Sequence *left = a, *right = b;

    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    if (left->high != right->high)
        return left->high > right->high ? -1 : 1;
    return left->order > right->order ? -1 : 1;
}

/* Makes the sequences disjoint: earlier (and of one start the longest) ones win. */
static void settle_sequences(FcGLineTable *table)
{
    GArray *sequences = table->sequences;
    guint64 last_high = 0;
    guint n_kept = 0;

    if (sequences->len == 0)
        return;
    qsort(sequences->data, sequences->len, sizeof(Sequence), compare_sequences);
    for (guint i = 0; i < sequences->len; i++)
    {
        Sequence sequence = g_array_index(sequences, Sequence, i);

        if (i > 0 && sequence.low < last_high)
        {
            if (sequence.high <= last_high)
                continue;
            sequence.low = last_high;
        }
        last_high = sequence.high;
        g_array_index(sequences, Sequence, n_kept++) = sequence;
    }
    g_array_set_size(sequences, n_kept);
}

FcGLineTable *fc_gline_table_new(const FcGLineSections *sections, guint64 offset, guint addr_bytes,
                                 const char *comp_dir, GStringChunk *strings)
{
    Reader reader = {.is_big_endian = sections->is_big_endian};
    Program program = {
        .sections = sections, .comp_dir = comp_dir, .strings = strings, .addr_bytes = addr_bytes};
    FcGLineTable *table;

    if (offset >= sections->line_bytes)
        return NULL;
    reader.at = sections->line + offset;
    reader.end = sections->line + sections->line_bytes;
    table = g_new0(FcGLineTable, 1);
    table->rows = g_array_new(FALSE, FALSE, sizeof(FcGLineRow));
    table->sequences = g_array_new(FALSE, FALSE, sizeof(Sequence));
    program.table = table;
    program.dirs = g_array_new(FALSE, FALSE, sizeof(const char *));
    program.files = g_array_new(FALSE, FALSE, sizeof(FileEntry));
    if (read_header(&program, &reader))
    {
        run(&program, &reader);
        settle_sequences(table);
    }
    else
    {
        fc_gline_table_free(table);
        table = NULL;
    }
    g_array_free(program.dirs, TRUE);
    g_array_free(program.files, TRUE);
    g_free(program.paths);
    return table;
}

void fc_gline_table_free(FcGLineTable *table)
{
    if (!table)
        return;
    g_array_free(table->rows, TRUE);
    g_array_free(table->sequences, TRUE);
    g_free(table);
}

void fc_gline_table_each_sequence(const FcGLineTable *table,
                                  void (*visit)(guint64 low, guint64 high, gpointer data),
                                  gpointer data)
{
    for (guint i = 0; i < table->sequences->len; i++)
    {
        const Sequence *sequence = &g_array_index(table->sequences, Sequence, i);

        visit(sequence->low, sequence->high, data);
    }
}

const FcGLineRow *fc_gline_table_find(const FcGLineTable *table, guint64 addr, guint64 *until)
{
    const Sequence *sequences = (const Sequence *)(void *)table->sequences->data;
    const FcGLineRow *rows;
    guint low = 0, high = table->sequences->len;

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (sequences[middle].low <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < table->sequences->len)
        *until = MIN(*until, sequences[low].low);
    if (low == 0 || addr >= sequences[low - 1].high)
        return NULL;
    sequences += low - 1;
    rows = &g_array_index(table->rows, FcGLineRow, sequences->first);
    low = 0;
    high = sequences->n;
    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (rows[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < sequences->n)
        *until = MIN(*until, rows[low].addr);
    return low == 0 || low >= sequences->n ? NULL : &rows[low - 1];
}
