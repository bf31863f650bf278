/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions the compiler inlined wherever they were called, through DWARF: see
 * fc_image_list_inlined.  Called by symbols.c.  Reads all of the debug information of an image,
 * once.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <string.h>

/* Copies within copies, and blocks in them, deeper than this are not found. */
#define MAX_DEPTH 128

typedef struct
{
    FcInlined known;
    gboolean has_code; /* of its own */
    const void *host;  /* the last one counted */
} Entry;

typedef struct
{
    GHashTable *by_name;   /* what tells functions apart, owned -> Entry, owned */
    GHashTable *by_origin; /* where an entry of the debug information begins -> Entry */
    const char *seen;      /* the last entry of the function: the next one is behind it */
} List;

static void free_entry(gpointer data)
{
    g_free(data);
}

static const char *find_linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return NULL;
}

/* The entry of a function, which is made if it is missing.  Copies of a header's function in
 * several units share one.  NULL: it has no name. */
static Entry *find_by_name(List *list, Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);
    const char *linkage_name = find_linkage_name(die);
    const char *file = fc_image_declared_file(die);
    const guint line = fc_image_declared_line(die);

    if (!name && !linkage_name)
        return NULL;
    g_autofree char *key = linkage_name ? g_strdup(linkage_name)
                                        : g_strdup_printf("%s %s:%u", name, file ? file : "", line);
    Entry *entry = g_hash_table_lookup(list->by_name, key);
    if (!entry)
    {
        entry = g_new0(Entry, 1);
        entry->known.name = linkage_name ? linkage_name : name;
        entry->known.file = file;
        entry->known.line = line;
        g_hash_table_insert(list->by_name, g_steal_pointer(&key), entry);
    }
    return entry;
}

/* The function that `die`, its code or a copy of it, is made from. */
static Entry *find_entry(List *list, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin = *die;
    gpointer found;

    if (dwarf_attr(die, DW_AT_abstract_origin, &attribute))
        dwarf_formref_die(&attribute, &origin);
    if (g_hash_table_lookup_extended(list->by_origin, origin.addr, NULL, &found))
        return found;
    Entry *entry = find_by_name(list, &origin);
    g_hash_table_insert(list->by_origin, origin.addr, entry);
    return entry;
}

/* Collects the inlined copies in `scope`, a part of the function `host`, except those in nested
 * functions. */
static void count_copies(List *list, Dwarf_Die *scope, const void *host, int depth)
{
    Dwarf_Die child;

    if (depth > MAX_DEPTH || dwarf_child(scope, &child) != 0)
        return;
    do
    {
        const int tag = dwarf_tag(&child);
        if ((const char *)child.addr <= list->seen)
            return; /* damaged */
        list->seen = child.addr;
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
            continue;
        Entry *entry = tag == DW_TAG_inlined_subroutine ? find_entry(list, &child) : NULL;
        if (entry)
        {
            entry->known.copies++;
            entry->known.hosts += entry->host != host;
            entry->host = host;
        }
        count_copies(list, &child, host, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void add_function(Dwarf_Die *function, gpointer data)
{
    List *list = data;
    Entry *entry = find_entry(list, function);

    if (entry)
        entry->has_code = TRUE;
    list->seen = function->addr;
    count_copies(list, function, function->addr, 0);
}

static gint compare(gconstpointer first, gconstpointer second)
{
    const FcInlined *a = first, *b = second;

    if (a->copies != b->copies)
        return a->copies > b->copies ? -1 : 1;
    return strcmp(a->name, b->name);
}

GArray *fc_image_list_inlined(FcImage *image)
{
    g_autoptr(GHashTable) by_name =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_entry);
    g_autoptr(GHashTable) by_origin = g_hash_table_new(NULL, NULL);
    List list = {by_name, by_origin, NULL};

    if (!fc_image_visit_bodies(image, add_function, &list))
        return NULL;
    GArray *result = g_array_new(FALSE, FALSE, sizeof(FcInlined));
    GHashTableIter at;
    gpointer value;
    g_hash_table_iter_init(&at, by_name);
    while (g_hash_table_iter_next(&at, NULL, &value))
    {
        const Entry *entry = value;
        if (!entry->has_code && entry->known.copies > 0)
            g_array_append_val(result, entry->known);
    }
    g_array_sort(result, compare);
    return result;
}
