/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the unit that an address belongs to and asks its tables.  See lines.h.
 */
#include "fcdump/gprof/lines.h"

#include "fcdump/gprof/debug-file.h"
#include "fcdump/gprof/line-funcs.h"
#include "fcdump/gprof/line-table.h"
#include <dwarf.h>
#include <string.h>

typedef struct
{
    Dwarf_Die die;
    gboolean is_loaded;
    FcGLineTable *table; /* NULL: the unit has no lines and is passed over */
    FcGLineFuncs *funcs; /* made when first needed */
} Unit;

typedef struct
{
    guint64 low;
    guint64 high;
    guint64 max_high;
    guint unit;
} UnitRange;

struct FcGLines
{
    FcGImage *image;
    FcGDebugFile *file;
    Dwarf *dwarf;
    FcGLineSections sections;
    GStringChunk *strings;
    GArray *units;     /* of Unit */
    GArray *ranges;    /* of UnitRange, by start */
    GArray *rangeless; /* of guint: units that could hold any address */
    FcGTextSyms *text_syms;
    guint64 next_change;
};

static int compare_unit_ranges(const void *a, const void *b)
{
    const UnitRange *left = a, *right = b;

    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->unit < right->unit ? -1 : left->unit > right->unit;
}

static void add_unit(FcGLines *lines, Dwarf_Die *die)
{
    Unit unit = {.die = *die};
    guint index = lines->units->len, n_before = lines->ranges->len;
    Dwarf_Addr base = 0, low, high;
    ptrdiff_t offset = 0;

    g_array_append_val(lines->units, unit);
    while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
    {
        UnitRange range = {low, high, 0, index};

        if (low < high)
            g_array_append_val(lines->ranges, range);
    }
    if (lines->ranges->len == n_before)
        g_array_append_val(lines->rangeless, index);
}

static void read_units(FcGLines *lines)
{
    Dwarf_Off offset = 0, next;
    size_t header_bytes;
    guint64 max_high = 0;

    while (dwarf_nextcu(lines->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0)
    {
        Dwarf_Die die;

        if (dwarf_offdie(lines->dwarf, offset + header_bytes, &die) &&
            dwarf_hasattr(&die, DW_AT_stmt_list))
            add_unit(lines, &die);
        offset = next;
    }
    g_array_sort(lines->ranges, compare_unit_ranges);
    for (guint i = 0; i < lines->ranges->len; i++)
    {
        UnitRange *range = &g_array_index(lines->ranges, UnitRange, i);

        max_high = MAX(max_high, range->high);
        range->max_high = max_high;
    }
}

FcGLines *fc_glines_new(FcGImage *image)
{
    FcGLines *lines = g_new0(FcGLines, 1);

    lines->image = image;
    lines->strings = g_string_chunk_new(4096);
    lines->units = g_array_new(FALSE, FALSE, sizeof(Unit));
    lines->ranges = g_array_new(FALSE, FALSE, sizeof(UnitRange));
    lines->rangeless = g_array_new(FALSE, FALSE, sizeof(guint));
    lines->sections.is_big_endian = fc_gimage_is_big_endian(image);
    lines->file = fc_gdebug_file_open(image);
    lines->dwarf = fc_gdebug_file_dwarf(lines->file);
    if (!lines->dwarf)
        return lines;
    lines->sections.line =
        fc_gdebug_file_section(lines->file, ".debug_line", &lines->sections.line_bytes);
    lines->sections.line_str =
        fc_gdebug_file_section(lines->file, ".debug_line_str", &lines->sections.line_str_bytes);
    lines->sections.str =
        fc_gdebug_file_section(lines->file, ".debug_str", &lines->sections.str_bytes);
    read_units(lines);
    return lines;
}

void fc_glines_free(FcGLines *lines)
{
    if (!lines)
        return;
    for (guint i = 0; i < lines->units->len; i++)
    {
        Unit *unit = &g_array_index(lines->units, Unit, i);

        fc_gline_table_free(unit->table);
        fc_gline_funcs_free(unit->funcs);
    }
    g_array_free(lines->units, TRUE);
    g_array_free(lines->ranges, TRUE);
    g_array_free(lines->rangeless, TRUE);
    fc_gtext_syms_free(lines->text_syms);
    g_string_chunk_free(lines->strings);
    fc_gdebug_file_free(lines->file);
    g_free(lines);
}

static void load_unit(FcGLines *lines, Unit *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word offset;
    const char *comp_dir = NULL;

    unit->is_loaded = TRUE;
    if (!lines->sections.line || !dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute) ||
        dwarf_formudata(&attribute, &offset) != 0)
        return;
    if (dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
        comp_dir = dwarf_formstring(&attribute);
    unit->table = fc_gline_table_new(&lines->sections, offset, fc_gimage_addr_bytes(lines->image),
                                     comp_dir, lines->strings);
}

typedef struct
{
    const FcGLineRow *row;
    FcGLineFunc *func;
} UnitAnswer;

static gboolean ask_unit(FcGLines *lines, guint index, guint64 addr, gboolean need_function,
                         UnitAnswer *answer)
{
    Unit *unit = &g_array_index(lines->units, Unit, index);

    if (!unit->is_loaded)
        load_unit(lines, unit);
    if (!unit->table)
        return FALSE;
    answer->row = fc_gline_table_find(unit->table, addr, &lines->next_change);
    answer->func = NULL;
    if (need_function)
    {
        if (!unit->funcs)
            unit->funcs = fc_gline_funcs_new(&unit->die);
        answer->func = fc_gline_funcs_find(unit->funcs, addr, &lines->next_change);
    }
    return answer->row || answer->func;
}

/* Asks the units around `addr` in their order in the file, then those that do not say
 * where they are. */
static gboolean ask_units(FcGLines *lines, guint64 addr, gboolean need_function, UnitAnswer *answer)
{
    guint low = 0, high = lines->ranges->len, n_asked = 0;
    guint asked[64];

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (g_array_index(lines->ranges, UnitRange, middle).low <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < lines->ranges->len)
        lines->next_change =
            MIN(lines->next_change, g_array_index(lines->ranges, UnitRange, low).low);
    for (guint i = low; i > 0; i--)
    {
        const UnitRange *range = &g_array_index(lines->ranges, UnitRange, i - 1);

        if (range->max_high <= addr)
            break;
        if (addr >= range->high)
            continue;
        lines->next_change = MIN(lines->next_change, range->high);
        if (n_asked < G_N_ELEMENTS(asked))
            asked[n_asked++] = range->unit;
    }
    while (n_asked > 0)
    {
        guint least = 0;

        for (guint i = 1; i < n_asked; i++)
            least = asked[i] < asked[least] ? i : least;
        if (ask_unit(lines, asked[least], addr, need_function, answer))
            return TRUE;
        asked[least] = asked[--n_asked];
    }
    for (guint i = 0; i < lines->rangeless->len; i++)
    {
        if (ask_unit(lines, g_array_index(lines->rangeless, guint, i), addr, need_function, answer))
            return TRUE;
    }
    return FALSE;
}

/* A function whose DWARF name is not what the linker calls it gets the name of the ELF
 * symbol once; for good only if both start at the same place. */
static const char *name_function(FcGLines *lines, guint64 addr, FcGLineFunc *func)
{
    const FcGImageSym *sym;

    if (func && func->is_linkage)
        return func->name;
    if (!lines->text_syms)
        lines->text_syms = fc_gtext_syms_new(lines->image);
    sym = fc_gtext_syms_find(lines->text_syms, addr);
    lines->next_change = addr + 1; /* the answer may be another one the next time */
    if (func)
    {
        func->is_linkage = TRUE;
        if (!sym)
            return func->name;
        if (sym->addr == func->low)
            func->name = sym->name;
    }
    return sym ? sym->name : NULL;
}

gboolean fc_glines_find(FcGLines *lines, guint64 addr, gboolean need_function, FcGLine *out)
{
    UnitAnswer answer = {0};

    lines->next_change = G_MAXUINT64;
    memset(out, 0, sizeof *out);
    if (!lines->dwarf || !ask_units(lines, addr, need_function, &answer))
        return FALSE;
    if (need_function)
        out->function = name_function(lines, addr, answer.func);
    if (!answer.row || !answer.row->file || answer.row->line == 0)
        return FALSE;
    out->file = answer.row->file;
    out->line = (int)answer.row->line;
    return !need_function || out->function;
}

guint64 fc_glines_next_change(const FcGLines *lines)
{
    return lines->next_change;
}
