/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs line number programs and finds rows.  See line-table.h.
 */
#include "fcgprof/line-table.h"

#include <dwarf.h>
#include <stdlib.h>

typedef struct
{
    guint64 low;
    guint64 high;
    guint first; /* row */
    guint n;     /* rows, the last is the end marker */
    guint order; /* of appearance */
} Sequence;

struct FcGLineTable
{
    GArray *rows; /* of FcGLineRow */
    GArray *sequences;
    GArray *ranges; /* of Range: where the sequences that have an end are */
};

typedef struct
{
    guint64 low;
    guint64 high;
} Range;

typedef struct
{
    FcGLineTable *table;
    FcGLineHeader header;
} Program;

typedef struct
{
    guint64 addr;
    const char *file;
    guint line;
    guint first_row;
    guint64 low; /* where the sequence begins */
    guint head;  /* the row before which the last one that came late was put */
    gboolean failed;
} Machine;

/* A row that comes after higher ones goes in front of those that its address has.  gprof's
 * library tries the place of the last such row first; a row that fits there does not make
 * the sequence begin earlier. */
static void insert_row(GArray *rows, Machine *machine, const FcGLineRow *row)
{
    guint low = machine->first_row, high = rows->len;

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (g_array_index(rows, FcGLineRow, middle).addr < row->addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (high != machine->head)
        machine->low = MIN(machine->low, row->addr);
    machine->head = high + 1;
    g_array_insert_vals(rows, high, row, 1);
}

/* Of rows of one address the last counts. */
static void add_row(Program *program, Machine *machine)
{
    GArray *rows = program->table->rows;
    FcGLineRow row = {machine->addr, machine->file, machine->line};
    FcGLineRow *last;

    if (rows->len == machine->first_row)
    {
        machine->low = row.addr;
        g_array_append_val(rows, row);
        return;
    }
    last = &g_array_index(rows, FcGLineRow, rows->len - 1);
    if (last->addr == row.addr)
        *last = row;
    else if (last->addr < row.addr)
        g_array_append_val(rows, row);
    else
        insert_row(rows, machine, &row);
}

static void start_sequence(Program *program, Machine *machine)
{
    machine->addr = 0;
    machine->line = 1;
    machine->file = NULL;
    if (program->header.files->len > 0)
        machine->file =
            fc_gline_header_path(&program->header, program->header.version >= 5 ? 0 : 1);
    machine->first_row = program->table->rows->len;
    machine->head = machine->first_row;
}

/* The rows since the last end are a sequence that ends at `end`. */
static void end_sequence(Program *program, const Machine *machine, guint64 end)
{
    GArray *rows = program->table->rows;
    Sequence sequence = {.first = machine->first_row};
    FcGLineRow end_row = {end, NULL, 0};

    if (rows->len == machine->first_row)
        return;
    g_array_append_val(rows, end_row);
    sequence.low = machine->low;
    sequence.high = end;
    sequence.n = rows->len - machine->first_row;
    sequence.order = program->table->sequences->len;
    g_array_append_val(program->table->sequences, sequence);
}

static void add_range(Program *program, const Machine *machine)
{
    const GArray *rows = program->table->rows;
    Range range;

    if (rows->len == machine->first_row)
        return;
    range.low = g_array_index(rows, FcGLineRow, machine->first_row).addr;
    range.high = MAX(machine->addr, g_array_index(rows, FcGLineRow, rows->len - 1).addr);
    g_array_append_val(program->table->ranges, range);
}

/* gprof's library does not heed how long an operation says it is, but for the one that it
 * leaves to others; and what it does not know is the end of the whole table. */
static void run_extended(Program *program, FcGLineReader *reader, Machine *machine)
{
    guint64 length = fc_gline_read_uleb(reader);

    switch (fc_gline_read_uint(reader, 1))
    {
    case DW_LNE_end_sequence:
        add_range(program, machine);
        end_sequence(program, machine, machine->addr);
        start_sequence(program, machine);
        break;
    case DW_LNE_set_address:
        machine->addr = fc_gline_read_uint(reader, program->header.addr_bytes);
        break;
    case DW_LNE_define_file:
        fc_gline_header_add_file(&program->header, reader, fc_gline_read_string(reader));
        break;
    case DW_LNE_set_discriminator:
        fc_gline_read_uleb(reader);
        break;
    case DW_LNE_lo_user:
        if (length == 0)
            reader->at--;
        else
            reader->at += MIN(length - 1, (guint64)(reader->end - reader->at));
        break;
    default:
        machine->failed = TRUE;
    }
}

static void run_standard(Program *program, FcGLineReader *reader, Machine *machine, guint opcode)
{
    switch (opcode)
    {
    case DW_LNS_copy:
        add_row(program, machine);
        break;
    case DW_LNS_advance_pc:
        machine->addr += fc_gline_read_uleb(reader) * program->header.min_inst_bytes;
        break;
    case DW_LNS_advance_line:
        machine->line += (guint)fc_gline_read_sleb(reader);
        break;
    case DW_LNS_set_file:
        machine->file = fc_gline_header_path(&program->header, fc_gline_read_uleb(reader));
        break;
    case DW_LNS_const_add_pc:
        machine->addr +=
            (guint64)((255 - program->header.opcode_base) / program->header.line_range) *
            program->header.min_inst_bytes;
        break;
    case DW_LNS_fixed_advance_pc:
        machine->addr += fc_gline_read_uint(reader, 2);
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    default: /* set_column, set_isa and what later versions may add */
        for (guint i = 0; i < program->header.opcode_operands[opcode - 1]; i++)
            fc_gline_read_uleb(reader);
    }
}

static gboolean run(Program *program, FcGLineReader *reader)
{
    Machine machine = {0};
    const GArray *rows;

    start_sequence(program, &machine);
    while (reader->at < reader->end && !machine.failed)
    {
        guint opcode = (guint)fc_gline_read_uint(reader, 1);

        if (opcode >= program->header.opcode_base)
        {
            guint adjusted = opcode - program->header.opcode_base;

            machine.addr +=
                (guint64)(adjusted / program->header.line_range) * program->header.min_inst_bytes;
            machine.line +=
                (guint)(program->header.line_base + (int)(adjusted % program->header.line_range));
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
    /* Of rows without an end the last one is the end. */
    rows = program->table->rows;
    if (rows->len > machine.first_row)
        end_sequence(program, &machine, g_array_index(rows, FcGLineRow, rows->len - 1).addr);
    return !machine.failed;
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
    FcGLineReader reader = {.is_big_endian = sections->is_big_endian};
    Program program;
    FcGLineTable *table;

    if (offset >= sections->line_bytes)
        return NULL;
    reader.at = sections->line + offset;
    reader.end = sections->line + sections->line_bytes;
    table = g_new0(FcGLineTable, 1);
    table->rows = g_array_new(FALSE, FALSE, sizeof(FcGLineRow));
    table->sequences = g_array_new(FALSE, FALSE, sizeof(Sequence));
    table->ranges = g_array_new(FALSE, FALSE, sizeof(Range));
    program.table = table;
    fc_gline_header_init(&program.header, sections, comp_dir, addr_bytes, strings);
    if (fc_gline_header_read(&program.header, &reader) && run(&program, &reader))
    {
        settle_sequences(table);
    }
    else
    {
        fc_gline_table_free(table);
        table = NULL;
    }
    fc_gline_header_clear(&program.header);
    return table;
}

void fc_gline_table_free(FcGLineTable *table)
{
    if (!table)
        return;
    g_array_free(table->rows, TRUE);
    g_array_free(table->sequences, TRUE);
    g_array_free(table->ranges, TRUE);
    g_free(table);
}

void fc_gline_table_each_sequence(const FcGLineTable *table,
                                  void (*visit)(guint64 low, guint64 high, gpointer data),
                                  gpointer data)
{
    for (guint i = 0; i < table->ranges->len; i++)
    {
        const Range *range = &g_array_index(table->ranges, Range, i);

        visit(range->low, range->high, data);
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
