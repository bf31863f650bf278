/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions the compiler inlined at a place, through DWARF.  Called by symbols.c;
 * must look at no more of the debug information than the way down to the place.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <string.h>

#include "profile/search.h"

/* Functions in namespaces nested deeper than this are not found. */
#define MAX_NAMESPACES 32

/* Functions of one unit; a unit that lists more is damaged, and the rest is not read. */
#define MAX_BODIES (1u << 21)

/* The child of `parent` that covers `address`: a function, an inlined copy or a block.  Not for
 * units as parents: their children are too many to walk through (see list_bodies). */
static gboolean find_child(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *child)
{
    if (dwarf_child(parent, child) != 0)
        return FALSE;
    do
    {
        int tag = dwarf_tag(child);

        if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_lexical_block) &&
            dwarf_haspc(child, address) > 0)
            return TRUE;
    } while (dwarf_siblingof(child, child) == 0);
    return FALSE;
}

/* A piece of a function's code. */
typedef struct
{
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Die function;
} Body;

static gint compare_bodies(gconstpointer left, gconstpointer right)
{
    const Body *one = left, *other = right;

    return one->start < other->start ? -1 : one->start > other->start;
}

static void add_bodies(Dwarf_Die *function, GArray *bodies)
{
    Body body = {.function = *function};
    Dwarf_Addr base;
    ptrdiff_t next = 0;

    while (bodies->len < MAX_BODIES &&
           (next = dwarf_ranges(function, next, &base, &body.start, &body.end)) > 0)
        g_array_append_val(bodies, body);
}

/* Collects the pieces of code of the functions in `scope` and in the namespaces within it. */
static void collect_bodies(Dwarf_Die *scope, int depth, GArray *bodies)
{
    Dwarf_Die child;

    if (dwarf_child(scope, &child) != 0)
        return;
    do
    {
        int tag = dwarf_tag(&child);

        if (tag == DW_TAG_subprogram)
            add_bodies(&child, bodies);
        else if (tag == DW_TAG_namespace && depth < MAX_NAMESPACES)
            collect_bodies(&child, depth + 1, bodies);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* The pieces of code of the unit's functions, ascending by start.  A unit may have very many
 * functions and be asked about very many places, so it is read once and kept. */
static const GArray *list_bodies(FcImage *image, Dwarf_Die *unit)
{
    if (!image->bodies)
        image->bodies = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    GArray *bodies = g_hash_table_lookup(image->bodies, unit->addr);
    if (!bodies)
    {
        bodies = g_array_new(FALSE, FALSE, sizeof(Body));
        collect_bodies(unit, 0, bodies);
        g_array_sort(bodies, compare_bodies);
        g_hash_table_insert(image->bodies, unit->addr, bodies);
    }
    return bodies;
}

/* The function of `unit` with `address` in it. */
static gboolean find_function(FcImage *image, Dwarf_Die *unit, Dwarf_Addr address,
                              Dwarf_Die *function)
{
    const GArray *bodies = list_bodies(image, unit);
    size_t behind = FC_FIRST_WHERE(bodies->len, i, g_array_index(bodies, Body, i).start > address);

    if (behind == 0 || g_array_index(bodies, Body, behind - 1).end <= address)
        return FALSE;
    *function = g_array_index(bodies, Body, behind - 1).function;
    return TRUE;
}

/* The entry that all copies of the function with entry `die` come from. */
static Dwarf_Off origin_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    if (dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
        dwarf_formref_die(&attribute, &origin))
        return dwarf_dieoffset(&origin);
    return dwarf_dieoffset(die);
}

/* A function that several units hold copies of is the same one if the linkage names are equal;
 * one without a linkage name (a lambda) is known by its entry in the debug information alone. */
static gboolean has_name(Dwarf_Die *die, const char *raw_name)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    return name && strcmp(name, raw_name) == 0;
}

typedef struct
{
    FcImage *image;
    const char *raw_name;
    Dwarf_Off origin; /* 0: not found */
    gboolean found;
} Wanted;

static gboolean visit_function(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Wanted *wanted = data;
    Dwarf_Die function;

    if (!find_function(wanted->image, unit, address, &function))
        return FALSE;
    wanted->origin = origin_of(&function);
    return TRUE;
}

static gboolean visit_site(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Wanted *wanted = data;
    Dwarf_Die function, child;

    if (!find_function(wanted->image, unit, address, &function))
        return FALSE;
    while (!wanted->found && find_child(&function, address, &child))
    {
        wanted->found = dwarf_tag(&child) == DW_TAG_inlined_subroutine &&
                        ((wanted->origin != 0 && origin_of(&child) == wanted->origin) ||
                         has_name(&child, wanted->raw_name));
        function = child;
    }
    return TRUE;
}

gboolean fc_image_is_inlined(FcImage *image, guint64 address, guint64 function,
                             const char *raw_name)
{
    Wanted wanted = {.image = image, .raw_name = raw_name};

    fc_image_visit_units(image, function, visit_function, &wanted);
    fc_image_visit_units(image, address, visit_site, &wanted);
    return wanted.found;
}
