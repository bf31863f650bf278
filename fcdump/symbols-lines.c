/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From an address to file and line, through DWARF.  Called by symbols.c when a line is
 * asked for.  It keeps its own map of compilation units: .debug_aranges is left out by
 * clang, and libdw of elfutils 0.188 knows nothing else.
 */
#include "fcdump/symbols-internal.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

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

/* Ranges may overlap in broken files only: those of code that the linker discarded. */
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

static gboolean find_in_unit(Dwarf_Die *unit, Dwarf_Addr address, const char **file, guint *line)
{
    Dwarf_Line *row = dwarf_getsrc_die(unit, address);
    const char *name;
    int number;

    if (!row || dwarf_lineno(row, &number) != 0 || number < 0)
        return FALSE;
    name = dwarf_linesrc(row, NULL, NULL);
    if (!name || !*name)
        return FALSE;
    *file = name;
    *line = (guint)number;
    return TRUE;
}

gboolean fc_image_find_line(FcImage *image, guint64 address, const char **file, guint *line)
{
    FcLineTable *lines;
    guint low = 0, high;

    if (!image->lines)
        image->lines = load_lines(image);
    lines = image->lines;
    address -= lines->bias;
    high = lines->ranges->len;
    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (g_array_index(lines->ranges, UnitRange, middle).start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (guint steps = 0; low > 0 && steps < MAX_OVERLAP; steps++)
    {
        UnitRange *range = &g_array_index(lines->ranges, UnitRange, --low);

        if (address < range->end && find_in_unit(&range->unit, address, file, line))
            return TRUE;
    }
    return FALSE;
}
