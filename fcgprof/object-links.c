/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an object takes from others when it is linked at run time.  See object.h.
 */
#include "fcgprof/object-bfd.h"

#include <stdlib.h>
#include <string.h>

static GHashTable *new_table(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

/* Names have a version, or "@plt", behind them. */
static void add_link(GHashTable *table, guint64 addr, const char *name)
{
    gsize length = strcspn(name, "@");

    if (length > 0)
        g_hash_table_insert(table, g_memdup2(&addr, sizeof addr), g_strndup(name, length));
}

/* False if there are none.  They stay: libbfd keeps relocations that point into the array. */
static gboolean read_dynamic_symbols(FcGObject *object)
{
    long n_bytes;

    if (object->dynamic)
        return TRUE;
    n_bytes = bfd_get_dynamic_symtab_upper_bound(object->file);
    if (n_bytes <= 0)
        return FALSE;
    object->dynamic = g_malloc0((gsize)n_bytes);
    object->n_dynamic = bfd_canonicalize_dynamic_symtab(object->file, object->dynamic);
    if (object->n_dynamic >= 0)
        return TRUE;
    g_clear_pointer(&object->dynamic, g_free);
    return FALSE;
}

GHashTable *fc_gobject_stubs(FcGObject *object)
{
    GHashTable *table = new_table();
    asymbol *stubs = NULL;
    long n;

    if (!read_dynamic_symbols(object))
        return table;
    n = bfd_get_synthetic_symtab(object->file, object->n_symbols, object->symbols,
                                 object->n_dynamic, object->dynamic, &stubs);
    for (long i = 0; i < n; i++)
        add_link(table, stubs[i].value + bfd_section_vma(stubs[i].section), stubs[i].name);
    free(stubs);
    return table;
}

/* Whether the dynamic linker puts the address of a function there for calls. */
static gboolean is_pointer(const arelent *relocation)
{
    const char *kind = relocation->howto ? relocation->howto->name : NULL;

    return kind && relocation->sym_ptr_ptr && *relocation->sym_ptr_ptr &&
           (strstr(kind, "_GLOB_DAT") || strstr(kind, "_JUMP_SLO"));
}

GHashTable *fc_gobject_pointers(FcGObject *object)
{
    GHashTable *table = new_table();
    g_autofree arelent **relocations = NULL;
    long n, n_bytes = 0;

    if (read_dynamic_symbols(object))
        n_bytes = bfd_get_dynamic_reloc_upper_bound(object->file);
    if (n_bytes <= 0)
        return table;
    relocations = g_malloc0((gsize)n_bytes);
    n = bfd_canonicalize_dynamic_reloc(object->file, relocations, object->dynamic);
    for (long i = 0; i < n; i++)
    {
        if (is_pointer(relocations[i]))
            add_link(table, relocations[i]->address, (*relocations[i]->sym_ptr_ptr)->name);
    }
    return table;
}
