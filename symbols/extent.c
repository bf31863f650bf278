/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a function ends: the last line of its own code.  Called by symbols.c.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <string.h>

#include "profile/search.h"

/* The most rows of one function.  If there are more, the file is damaged; the rest is ignored. */
#define ROWS_MAX (1u << 20)

typedef struct
{
    FcImage *image;
    const char *file; /* where the function is declared */
    guint last;
} Extent;

static Dwarf_Addr row_address(Dwarf_Lines *rows, size_t index)
{
    Dwarf_Addr address = 0;

    dwarf_lineaddr(dwarf_onesrcline(rows, index), &address);
    return address;
}

/* Whether an inlined copy of another function has `address`. */
static gboolean is_in_copy(Dwarf_Die *function, Dwarf_Addr address)
{
    Dwarf_Die die = *function;
    Dwarf_Die child;

    while (fc_image_find_child(&die, address, &child))
    {
        if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
            return TRUE;
        die = child;
    }
    return FALSE;
}

/* Looks at the rows of one piece of the function's code, without those of inlined functions. */
static void read_rows(Extent *extent, Dwarf_Die *function, Dwarf_Lines *rows, size_t count,
                      Dwarf_Addr start, Dwarf_Addr end)
{
    size_t next = FC_FIRST_WHERE(count, i, row_address(rows, i) >= start);

    for (guint steps = 0; next < count && steps < ROWS_MAX; next++, steps++)
    {
        Dwarf_Line *row = dwarf_onesrcline(rows, next);
        bool is_end = false;
        int number;

        if (row_address(rows, next) >= end)
            return;
        if (dwarf_lineendsequence(row, &is_end) != 0 || is_end || dwarf_lineno(row, &number) != 0 ||
            number <= (int)extent->last)
            continue;
        const char *name = dwarf_linesrc(row, NULL, NULL);
        if (name && strcmp(name, extent->file) == 0 &&
            !is_in_copy(function, row_address(rows, next)))
            extent->last = (guint)number;
    }
}

static gboolean visit_unit(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Extent *extent = data;
    Dwarf_Die function;
    Dwarf_Lines *rows;
    size_t count;
    Dwarf_Addr base, start, end;
    ptrdiff_t next = 0;

    if (!fc_image_find_body(extent->image, unit, address, &function))
        return FALSE;
    if (dwarf_getsrclines(unit, &rows, &count) != 0)
        return TRUE;
    while ((next = dwarf_ranges(&function, next, &base, &start, &end)) > 0)
        read_rows(extent, &function, rows, count, start, end);
    return TRUE;
}

guint fc_image_find_last_line(FcImage *image, guint64 address, const char *file)
{
    Extent extent = {.image = image, .file = file};

    fc_image_visit_units(image, address, visit_unit, &extent);
    return extent.last;
}
