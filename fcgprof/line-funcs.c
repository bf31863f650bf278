/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Collects functions from DWARF entries and code symbols.  See line-funcs.h.
 */
#include "fcgprof/line-funcs.h"

#include "fcgprof/debug-file.h"
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

enum
{
    DIE_DEPTH_MAX = 500, /* nesting of entries that is followed */
    ORIGIN_DEPTH_MAX = 30
};

typedef struct
{
    guint64 low;
    guint64 high;
    guint64 max_high; /* of this and all ranges that start earlier */
    guint func;
} FuncRange;

struct FcGLineFuncs
{
    GArray *funcs;  /* of FcGLineFunc */
    GArray *ranges; /* of FuncRange, by start */
    GArray *listed; /* the same as they stand in the entries */
    guint64 *edges; /* starts and ends, ascending */
    guint n_edges;
};

/* Languages whose plain names are what the linker sees. */
static gboolean is_unmangled(int language)
{
    switch (language)
    {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_Ada83:
    case DW_LANG_Cobol74:
    case DW_LANG_Cobol85:
    case DW_LANG_Fortran77:
    case DW_LANG_Pascal83:
    case DW_LANG_PLI:
    case DW_LANG_C99:
    case DW_LANG_UPC:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
        return TRUE;
    default:
        return FALSE;
    }
}

typedef struct
{
    FcGLineFunc *func;
    int language;
    guint depth;
} NameSearch;

static int language_of(Dwarf_Die *die)
{
    Dwarf_Die unit;

    return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
}

static int take_name(Dwarf_Attribute *attribute, void *data);

static void take_origin_name(Dwarf_Attribute *attribute, const NameSearch *search)
{
    NameSearch inner = {search->func, 0, search->depth + 1};
    Dwarf_Die origin;

    if (search->depth >= ORIGIN_DEPTH_MAX || !dwarf_formref_die(attribute, &origin))
        return;
    inner.language = language_of(&origin);
    dwarf_getattrs(&origin, take_name, &inner, 0);
}

/* Attributes come in the order in which the compiler wrote them, and the outcome
 * depends on it. */
static int take_name(Dwarf_Attribute *attribute, void *data)
{
    const NameSearch *search = data;
    gboolean is_string = FALSE;
    const char *text;

    switch (dwarf_whatattr(attribute))
    {
    case DW_AT_abstract_origin:
        /* Where an origin has an origin itself, its own name is all that counts. */
        if (search->depth > 0)
            break;
        take_origin_name(attribute, search);
        break;
    case DW_AT_specification:
        take_origin_name(attribute, search);
        break;
    case DW_AT_name:
        if (search->func->name)
            break;
        text = fc_gdebug_string(attribute, &is_string);
        if (is_string)
        {
            search->func->name = text;
            if (is_unmangled(search->language))
                search->func->is_linkage = TRUE;
        }
        break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        text = fc_gdebug_string(attribute, &is_string);
        if (is_string)
        {
            search->func->name = text;
            search->func->is_linkage = TRUE;
        }
        break;
    default:
        break;
    }
    return DWARF_CB_OK;
}

/* Adds a range to those of function `index`, joined with one that it touches. */
static void add_range(GArray *ranges, guint first, guint index, guint64 low, guint64 high)
{
    FuncRange range = {low, high, 0, index};

    if (low == high)
        return;
    for (guint i = first; i < ranges->len; i++)
    {
        FuncRange *other = &g_array_index(ranges, FuncRange, i);

        if (low == other->high)
        {
            other->high = high;
            return;
        }
        if (high == other->low)
        {
            other->low = low;
            return;
        }
    }
    g_array_append_val(ranges, range);
}

gboolean fc_gline_funcs_has_ranges(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    return !dwarf_attr(die, DW_AT_ranges, &attribute) ||
           dwarf_whatform(&attribute) != DW_FORM_rnglistx;
}

static void add_func(FcGLineFuncs *funcs, Dwarf_Die *die, int language)
{
    FcGLineFunc func = {0};
    NameSearch search = {&func, language, 0};
    guint first = funcs->ranges->len, index = funcs->funcs->len;
    Dwarf_Addr base = 0, low, high;
    ptrdiff_t offset = 0;

    while (fc_gline_funcs_has_ranges(die) &&
           (offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0)
        add_range(funcs->ranges, first, index, low, high);
    if (funcs->ranges->len == first)
        return;
    func.low = g_array_index(funcs->ranges, FuncRange, first).low;
    dwarf_getattrs(die, take_name, &search, 0);
    g_array_append_val(funcs->funcs, func);
}

static void scan_children(FcGLineFuncs *funcs, Dwarf_Die *parent, int language, guint depth)
{
    Dwarf_Die die;

    if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do
    {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram || tag == DW_TAG_entry_point ||
            tag == DW_TAG_inlined_subroutine)
            add_func(funcs, &die, language);
        scan_children(funcs, &die, language, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static int compare_ranges(const void *a, const void *b)
{
    const FuncRange *left = a, *right = b;

    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->func < right->func ? -1 : left->func > right->func;
}

static int compare_edges(const void *a, const void *b)
{
    guint64 left = *(const guint64 *)a, right = *(const guint64 *)b;

    return left < right ? -1 : left > right;
}

FcGLineFuncs *fc_gline_funcs_new(Dwarf_Die *unit)
{
    FcGLineFuncs *funcs = g_new0(FcGLineFuncs, 1);
    guint64 max_high = 0;
    guint n;

    funcs->funcs = g_array_new(FALSE, FALSE, sizeof(FcGLineFunc));
    funcs->ranges = g_array_new(FALSE, FALSE, sizeof(FuncRange));
    scan_children(funcs, unit, dwarf_srclang(unit), 0);
    funcs->listed = g_array_copy(funcs->ranges);
    g_array_sort(funcs->ranges, compare_ranges);
    n = funcs->ranges->len;
    funcs->edges = g_new(guint64, 2 * (gsize)n + 1);
    for (guint i = 0; i < n; i++)
    {
        FuncRange *range = &g_array_index(funcs->ranges, FuncRange, i);

        max_high = MAX(max_high, range->high);
        range->max_high = max_high;
        funcs->edges[funcs->n_edges++] = range->low;
        funcs->edges[funcs->n_edges++] = range->high;
    }
    qsort(funcs->edges, funcs->n_edges, sizeof(guint64), compare_edges);
    return funcs;
}

void fc_gline_funcs_free(FcGLineFuncs *funcs)
{
    if (!funcs)
        return;
    g_array_free(funcs->funcs, TRUE);
    g_array_free(funcs->ranges, TRUE);
    g_array_free(funcs->listed, TRUE);
    g_free(funcs->edges);
    g_free(funcs);
}

void fc_gline_funcs_each_range(const FcGLineFuncs *funcs,
                               void (*visit)(guint64 low, guint64 high, gpointer data),
                               gpointer data)
{
    for (guint i = 0; i < funcs->listed->len; i++)
    {
        const FuncRange *range = &g_array_index(funcs->listed, FuncRange, i);

        visit(range->low, range->high, data);
    }
}

FcGLineFunc *fc_gline_funcs_find(FcGLineFuncs *funcs, guint64 addr, guint64 *until)
{
    guint low = 0, high = funcs->n_edges;
    const FuncRange *best = NULL;

    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (funcs->edges[middle] <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < funcs->n_edges)
        *until = MIN(*until, funcs->edges[low]);
    low = 0;
    high = funcs->ranges->len;
    while (low < high)
    {
        guint middle = low + (high - low) / 2;

        if (g_array_index(funcs->ranges, FuncRange, middle).low <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    for (guint i = low; i > 0; i--)
    {
        const FuncRange *range = &g_array_index(funcs->ranges, FuncRange, i - 1);

        if (range->max_high <= addr)
            break;
        if (addr >= range->high)
            continue;
        if (!best || range->high - range->low < best->high - best->low ||
            (range->high - range->low == best->high - best->low && range->func > best->func))
            best = range;
    }
    return best ? &g_array_index(funcs->funcs, FcGLineFunc, best->func) : NULL;
}

/* ---- Instances of what other units declare --------------------------------------------- */

typedef struct
{
    void (*visit)(Dwarf_Die *origin, gpointer data);
    gpointer data;
    guint depth;
} OriginVisit;

static int visit_origin(Dwarf_Attribute *attribute, void *data)
{
    const OriginVisit *outer = data;
    OriginVisit inner = {outer->visit, outer->data, outer->depth + 1};
    Dwarf_Die origin;

    if ((dwarf_whatattr(attribute) != DW_AT_abstract_origin &&
         dwarf_whatattr(attribute) != DW_AT_specification) ||
        inner.depth >= ORIGIN_DEPTH_MAX || !dwarf_formref_die(attribute, &origin))
        return DWARF_CB_OK;
    if (dwarf_whatform(attribute) == DW_FORM_ref_addr)
        inner.visit(&origin, inner.data);
    dwarf_getattrs(&origin, visit_origin, &inner, 0);
    return DWARF_CB_OK;
}

static void visit_children(Dwarf_Die *parent, OriginVisit *visit, guint depth)
{
    Dwarf_Die die;

    if (depth > DIE_DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do
    {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram || tag == DW_TAG_entry_point ||
            tag == DW_TAG_inlined_subroutine || tag == DW_TAG_variable)
            dwarf_getattrs(&die, visit_origin, visit, 0);
        visit_children(&die, visit, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void fc_gline_funcs_each_origin(Dwarf_Die *unit, void (*visit)(Dwarf_Die *origin, gpointer data),
                                gpointer data)
{
    OriginVisit first = {visit, data, 0};

    visit_children(unit, &first, 0);
}
