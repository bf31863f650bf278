/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions the compiler inlined at a place, through DWARF.  Called by symbols.c;
 * must look at no more of the debug information than the way down to the place.
 */
#include "fcdump/symbols-internal.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <string.h>

/* Namespaces in namespaces; deeper is not searched. */
#define MAX_NAMESPACES 32

/* The innermost child of `parent` of the kinds that hold code, with `address` in it. */
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

/* The function with `address` in it, in `scope` or a namespace of it. */
static gboolean find_function(Dwarf_Die *scope, Dwarf_Addr address, int depth, Dwarf_Die *function)
{
    Dwarf_Die child;

    if (find_child(scope, address, function))
        return TRUE;
    if (depth == MAX_NAMESPACES || dwarf_child(scope, &child) != 0)
        return FALSE;
    do
    {
        if (dwarf_tag(&child) == DW_TAG_namespace &&
            find_function(&child, address, depth + 1, function))
            return TRUE;
    } while (dwarf_siblingof(&child, &child) == 0);
    return FALSE;
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

/* Names are for functions whose copies are in several units; a lambda has none here. */
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
    const char *raw_name;
    Dwarf_Off origin; /* 0: not found */
    gboolean found;
} Wanted;

static gboolean visit_function(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Wanted *wanted = data;
    Dwarf_Die function;

    if (!find_function(unit, address, 0, &function))
        return FALSE;
    wanted->origin = origin_of(&function);
    return TRUE;
}

static gboolean visit_site(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Wanted *wanted = data;
    Dwarf_Die function, child;

    if (!find_function(unit, address, 0, &function))
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
    Wanted wanted = {.raw_name = raw_name};

    fc_image_visit_units(image, function, visit_function, &wanted);
    fc_image_visit_units(image, address, visit_site, &wanted);
    return wanted.found;
}
