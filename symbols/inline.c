/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a function is declared, and which ones the compiler inlined at a location, through DWARF.
 * Called by symbols.c; must look at no more of the debug information than the way down to the
 * location.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <string.h>

#include "profile/path.h"
#include "profile/search.h"

/* Functions nested deeper than this, in namespaces, functions and blocks, are not found. */
#define MAX_DEPTH 64

/* Functions of one unit; a unit that lists more is damaged, and the rest is not read. */
#define MAX_BODIES (1u << 21)

/* Moves to the entry's next sibling, if there is one behind it: a damaged one may lead back. */
static gboolean move_on(Dwarf_Die *die)
{
    Dwarf_Die next;

    if (dwarf_siblingof(die, &next) != 0 || (const char *)next.addr <= (const char *)die->addr)
        return FALSE;
    *die = next;
    return TRUE;
}

/* The child of `parent` that covers `address`: a function, an inlined copy or a block.  Not for
 * units as parents: their children are too many to walk through (see list_bodies). */
gboolean fc_image_find_child(Dwarf_Die *parent, Dwarf_Addr address, Dwarf_Die *child)
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
    } while (move_on(child));
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

    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    /* If a linker put several at one address, always returns the same one. */
    const char *first = one->function.addr, *second = other->function.addr;
    return first > second ? -1 : first < second;
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

typedef struct
{
    GArray *bodies;
    const char *seen; /* the last entry: the next one is behind it, or the unit is damaged */
} BodyWalk;

static void collect_bodies(Dwarf_Die *scope, gboolean in_function, int depth, BodyWalk *walk);

static void collect_body(Dwarf_Die *die, gboolean in_function, int depth, BodyWalk *walk)
{
    guint before = walk->bodies->len;

    switch (dwarf_tag(die))
    {
    case DW_TAG_subprogram:
        add_bodies(die, walk->bodies);
        if (walk->bodies->len > before)
            collect_bodies(die, TRUE, depth + 1, walk);
        return;
    case DW_TAG_lexical_block: /* may have nested functions and classes, whose methods are here */
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (in_function)
            collect_bodies(die, TRUE, depth + 1, walk);
        return;
    case DW_TAG_namespace:
        collect_bodies(die, FALSE, depth + 1, walk);
        return;
    default:
        return;
    }
}

/* Collects the pieces of code of the functions in `scope`, in the namespaces within it and in
 * those functions themselves. */
static void collect_bodies(Dwarf_Die *scope, gboolean in_function, int depth, BodyWalk *walk)
{
    Dwarf_Die child;

    if (depth > MAX_DEPTH || dwarf_child(scope, &child) != 0)
        return;
    do
    {
        if ((const char *)child.addr <= walk->seen)
            return;
        walk->seen = child.addr;
        collect_body(&child, in_function, depth, walk);
    } while (move_on(&child));
}

Dwarf_Die fc_image_unit_contents(Dwarf_Die *unit)
{
    uint8_t type;
    Dwarf_Die split;

    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr)
        return split;
    return *unit;
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
        Dwarf_Die contents = fc_image_unit_contents(unit);
        bodies = g_array_new(FALSE, FALSE, sizeof(Body));
        collect_bodies(&contents, FALSE, 0, &(BodyWalk){bodies, NULL});
        g_array_sort(bodies, compare_bodies);
        g_hash_table_insert(image->bodies, unit->addr, bodies);
    }
    return bodies;
}

/* The piece of code of a function of `unit` with `address` in it; NULL: none. */
static Body *find_body(FcImage *image, Dwarf_Die *unit, Dwarf_Addr address)
{
    const GArray *bodies = list_bodies(image, unit);
    size_t behind = FC_FIRST_WHERE(bodies->len, i, g_array_index(bodies, Body, i).start > address);
    Body *body = behind > 0 ? &g_array_index(bodies, Body, behind - 1) : NULL;

    return body && address < body->end ? body : NULL;
}

gboolean fc_image_find_body(FcImage *image, Dwarf_Die *unit, Dwarf_Addr address,
                            Dwarf_Die *function)
{
    const Body *body = find_body(image, unit, address);

    if (body)
        *function = body->function;
    return body != NULL;
}

typedef struct
{
    FcImage *image;
    const char *file; /* where its code is from */
    guint line;       /* 0: not found */
} Declaration;

/* Reads a number of the entry, or of the one that it is a copy of, and the unit that it is in. */
static gboolean find_number(Dwarf_Die *die, unsigned int what, Dwarf_Word *number, Dwarf_CU **unit)
{
    Dwarf_Attribute attribute;

    if (!dwarf_attr_integrate(die, what, &attribute) || dwarf_formudata(&attribute, number) != 0)
        return FALSE;
    *unit = attribute.cu;
    return TRUE;
}

/* The file whose number is attribute `what`; the image's, or NULL.  Not dwarf_decl_file: it takes
 * the file 0 of DWARF 5 for none, and asserts that a unit has any. */
static const char *find_file(Dwarf_Die *die, unsigned int what)
{
    Dwarf_Word number;
    Dwarf_CU *holder;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;

    if (!find_number(die, what, &number, &holder) ||
        dwarf_cu_info(holder, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

static guint find_line(Dwarf_Die *die, unsigned int what)
{
    Dwarf_Word line;
    Dwarf_CU *holder;

    return find_number(die, what, &line, &holder) && line <= G_MAXINT ? (guint)line : 0;
}

const char *fc_image_declared_file(Dwarf_Die *function)
{
    return find_file(function, DW_AT_decl_file);
}

guint fc_image_declared_line(Dwarf_Die *function)
{
    return find_line(function, DW_AT_decl_line);
}

static gboolean visit_entry(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Declaration *wanted = data;
    Body *body = find_body(wanted->image, unit, address);

    /* A function may begin in several places: the compiler sets apart what is seldom run. */
    if (!body || body->start != address)
        return FALSE;
    const char *file = fc_image_declared_file(&body->function);
    if (file && strcmp(fc_base_name(file), fc_base_name(wanted->file)) == 0)
        wanted->line = fc_image_declared_line(&body->function);
    return TRUE;
}

guint fc_image_find_declaration(FcImage *image, guint64 address, const char *file)
{
    Declaration wanted = {.image = image, .file = file};

    fc_image_visit_units(image, address, visit_entry, &wanted);
    return wanted.line;
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

static const char *linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
                   dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute)
               ? dwarf_formstring(&attribute)
               : NULL;
}

/* A function that several units hold copies of is the same one if the linkage names are equal;
 * one without a linkage name (a lambda) is known by its entry in the debug information alone. */
static gboolean has_name(Dwarf_Die *die, const char *raw_name)
{
    const char *name = linkage_name(die);

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

    if (!fc_image_find_body(wanted->image, unit, address, &function))
        return FALSE;
    wanted->origin = origin_of(&function);
    return TRUE;
}

static gboolean visit_site(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Wanted *wanted = data;
    Dwarf_Die function, child;

    if (!fc_image_find_body(wanted->image, unit, address, &function))
        return FALSE;
    while (!wanted->found && fc_image_find_child(&function, address, &child))
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

typedef struct
{
    FcImage *image;
    GArray *calls; /* FcInlinedCall, the outermost first */
} Chain;

static gboolean visit_chain(Dwarf_Die *unit, Dwarf_Addr address, gpointer data)
{
    Chain *chain = data;
    Dwarf_Die function, child;

    if (!fc_image_find_body(chain->image, unit, address, &function))
        return FALSE;
    for (; fc_image_find_child(&function, address, &child); function = child)
    {
        FcInlinedCall call = {.raw_name = linkage_name(&child)};
        if (!call.raw_name)
            call.raw_name = dwarf_diename(&child);
        if (dwarf_tag(&child) != DW_TAG_inlined_subroutine || !call.raw_name)
            continue;
        call.file = find_file(&child, DW_AT_call_file);
        call.line = find_line(&child, DW_AT_call_line);
        g_array_append_val(chain->calls, call);
    }
    return TRUE;
}

void fc_image_find_chain(FcImage *image, guint64 address, GArray *calls)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(FcInlinedCall));

    fc_image_visit_units(image, address, visit_chain, &(Chain){image, found});
    for (guint i = found->len; i-- > 0;)
        g_array_append_val(calls, g_array_index(found, FcInlinedCall, i));
}

gboolean fc_image_visit_bodies(FcImage *image, FcBodyVisitor visit, gpointer data)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = fc_image_load(image) ? dwfl_module_getdwarf(image->module, &bias) : NULL;
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t type;

    if (!dwarf)
        return FALSE;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0)
    {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL); /* one may have several pieces */
        const GArray *bodies = list_bodies(image, &unit);
        for (guint i = 0; i < bodies->len; i++)
            if (g_hash_table_add(seen, g_array_index(bodies, Body, i).function.addr))
                visit(&g_array_index(bodies, Body, i).function, data);
    }
    return TRUE;
}
