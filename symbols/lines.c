/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From an address to file and line, through DWARF, and the names of functions that the
 * symbol table lacks.  Called by symbols.c when a line is asked for, by table.c when a name is
 * missing, by inline.c for units.  It keeps its own map from addresses to compilation units: libdw
 * (as of elfutils 0.188) finds units only by the section .debug_aranges, which clang does not
 * write.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "profile/search.h"

typedef struct
{
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Die unit;
} UnitRange;

struct FcLineTable
{
    Dwarf *dwarf; /* the image's; NULL: there is none */
    Dwarf_Addr bias;
    GArray *ranges; /* UnitRange, ascending by start */
};

/* At most so many ranges before an address are searched.  They overlap only if the linker discarded
 * code and left its debug information. */
#define MAX_OVERLAP 32

static void add_unit(FcLineTable *lines, Dwarf_Die *unit)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t offset = 0;

    while ((offset = dwarf_ranges(unit, offset, &base, &start, &end)) > 0)
    {
        UnitRange range = {start, end, *unit};

        if (start < end)
            g_array_append_val(lines->ranges, range);
    }
}

static gint compare_ranges(gconstpointer first, gconstpointer second)
{
    const UnitRange *a = first, *b = second;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static FcLineTable *load_lines(FcImage *image)
{
    FcLineTable *lines = g_new0(FcLineTable, 1);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;

    lines->ranges = g_array_new(FALSE, FALSE, sizeof(UnitRange));
    if (fc_image_load(image))
        lines->dwarf = dwfl_module_getdwarf(image->module, &lines->bias);
    if (!lines->dwarf)
        return lines;
    while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            add_unit(lines, &die);
    g_array_sort(lines->ranges, compare_ranges);
    return lines;
}

void fc_line_table_free(FcLineTable *lines)
{
    if (!lines)
        return;
    g_array_unref(lines->ranges);
    g_free(lines);
}

static Dwarf_Addr address_of(Dwarf_Lines *rows, size_t index)
{
    Dwarf_Addr address = 0;

    dwarf_lineaddr(dwarf_onesrcline(rows, index), &address);
    return address;
}

static gboolean is_end(Dwarf_Lines *rows, size_t index)
{
    bool is_end = true;

    dwarf_lineendsequence(dwarf_onesrcline(rows, index), &is_end);
    return is_end;
}

static gboolean is_statement(Dwarf_Lines *rows, size_t index)
{
    bool is_statement = false;

    dwarf_linebeginstatement(dwarf_onesrcline(rows, index), &is_statement);
    return is_statement;
}

/* The index of the last row at or before `address`; `count`: none does. */
static size_t find_last_row(Dwarf_Lines *rows, size_t count, Dwarf_Addr address)
{
    size_t behind = FC_FIRST_WHERE(count, i, address_of(rows, i) > address);

    return behind == 0 || is_end(rows, behind - 1) ? count : behind - 1;
}

/* The row of the line table for `address`; NULL: none.  Optimizers put several rows at one address.
 * At the start of a function the first row that begins a statement is the function's own; rows
 * before that are left from the function before it.  Everywhere else the last row counts. */
static Dwarf_Line *find_row(Dwarf_Die *unit, Dwarf_Addr address, gboolean is_entry)
{
    Dwarf_Lines *rows;
    size_t count, last, best;

    if (dwarf_getsrclines(unit, &rows, &count) != 0)
        return NULL;
    best = last = find_last_row(rows, count, address);
    if (last == count)
        return NULL;
    Dwarf_Addr start = address_of(rows, last);
    for (size_t i = last; is_entry; i--)
    {
        if (is_statement(rows, i))
            best = i;
        if (i == 0 || address_of(rows, i - 1) != start || is_end(rows, i - 1))
            break;
    }
    return dwarf_onesrcline(rows, best);
}

typedef struct
{
    gboolean is_entry;
    const char **file;
    guint *line;
} WantedLine;

static gboolean find_in_unit(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    const WantedLine *wanted = data;
    Dwarf_Line *row = find_row(unit, address, wanted->is_entry);
    int number;

    if (!row || dwarf_lineno(row, &number) != 0 || number < 0)
        return FALSE;
    const char *name = dwarf_linesrc(row, NULL, NULL);
    if (!name || !*name)
        return FALSE;
    *wanted->file = name;
    *wanted->line = (guint)number;
    return TRUE;
}

static FcLineTable *ensure_lines(FcImage *image)
{
    if (!image->lines)
        image->lines = load_lines(image);
    return image->lines;
}

gboolean fc_image_visit_units(FcImage *image, guint64 address, FcUnitVisitor visit, gpointer data)
{
    FcLineTable *lines = ensure_lines(image);

    address -= lines->bias;
    size_t next = FC_FIRST_WHERE(lines->ranges->len, i,
                                 g_array_index(lines->ranges, UnitRange, i).start > address);
    for (guint steps = 0; next > 0 && steps < MAX_OVERLAP; steps++)
    {
        UnitRange *range = &g_array_index(lines->ranges, UnitRange, --next);

        if (address < range->end && visit(&range->unit, address, data))
            return TRUE;
    }
    return FALSE;
}

gboolean fc_image_find_line(FcImage *image, guint64 address, gboolean is_entry, const char **file,
                            guint *line)
{
    WantedLine wanted = {is_entry, file, line};

    return fc_image_visit_units(image, address, find_in_unit, &wanted);
}

typedef struct
{
    const char *name;
    const char *folder;
} UnitName;

static gboolean find_unit_name(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    UnitName *found = data;
    Dwarf_Attribute attribute;

    (void)address;
    found->name = dwarf_diename(unit);
    found->folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    return found->name != NULL;
}

void fc_image_find_unit(FcImage *image, guint64 address, const char **name, const char **folder)
{
    UnitName found = {NULL, NULL};

    fc_image_visit_units(image, address, find_unit_name, &found);
    *name = found.name;
    *folder = found.folder;
}

/* ---- names ------------------------------------------------------------------- */

typedef struct
{
    GArray *functions;
    Dwarf_Addr bias;
} Subprograms;

static const char *find_linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    return name ? name : dwarf_diename(die);
}

static int add_subprogram(Dwarf_Die *die, void *data)
{
    Subprograms *subprograms = data;
    FcImageFunction function = {0};
    Dwarf_Attribute attribute;
    Dwarf_Addr entry, base, start, end;
    ptrdiff_t offset = 0;

    function.raw = find_linkage_name(die);
    if (!function.raw || !*function.raw || dwarf_entrypc(die, &entry) != 0 ||
        entry == 0 /* the linker discarded it */)
        return DWARF_CB_OK;
    while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
        if (start <= entry && entry < end)
        {
            function.start = start + subprograms->bias;
            function.end = end + subprograms->bias;
            function.is_static = !dwarf_attr_integrate(die, DW_AT_external, &attribute);
            g_array_append_val(subprograms->functions, function);
            break;
        }
    return DWARF_CB_OK;
}

GArray *fc_image_list_subprograms(FcImage *image)
{
    FcLineTable *lines = ensure_lines(image);
    Subprograms found = {g_array_new(FALSE, FALSE, sizeof(FcImageFunction)), lines->bias};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;

    while (lines->dwarf && dwarf_get_units(lines->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
        if (type == DW_UT_compile)
            dwarf_getfuncs(&die, add_subprogram, &found, 0);
    return found.functions;
}
