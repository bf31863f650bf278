/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Deletes the modules of a profile that nothing refers to, by the table of table.h.  A program
 * loads many libraries of which it calls nothing that is profiled.  Called by fcmanager.
 */
#include "profile/table.h"

/* Visits each location.  `number` has an entry for each module.  First the modules in use get any
 * number but 0; then each of them gets its new number, from 1. */
typedef void (*VisitPlace)(FcProfileLocation *location, guint *number);

static void mark(FcProfileLocation *location, guint *number)
{
    if (location->module != FC_NONE)
        number[location->module] = 1;
}

static void renumber(FcProfileLocation *location, guint *number)
{
    if (location->module != FC_NONE)
        location->module = (gint)number[location->module] - 1;
}

static void visit_record(const FcSection *section, gpointer record, VisitPlace visit, guint *number)
{
    for (guint i = 0; i < section->field_count; i++)
    {
        const gpointer value = (char *)record + section->fields[i].offset;
        if (section->fields[i].type == FC_FIELD_PLACE)
            visit(value, number);
        else if (section->fields[i].type == FC_FIELD_POINT)
            visit(&((FcProfileHeapPoint *)value)->site, number);
    }
}

static void visit_array(const FcSection *section, const GArray *array, VisitPlace visit,
                        guint *number)
{
    for (guint i = 0; array && i < array->len; i++)
        visit_record(section, fc_array_record(array, section->array, i), visit, number);
}

static void visit_all(const FcProfile *profile, VisitPlace visit, guint *number)
{
    for (guint i = 0; i < FC_SECTION_COUNT; i++)
    {
        const FcSection *section = &fc_sections[i];
        if (section->lines != FC_LINES_RECORDS && section->lines != FC_LINES_AGAIN)
            continue;
        if (section->array < FC_ARRAY_OF_THREAD)
        {
            visit_array(section, fc_array_of(profile, section->array), visit, number);
            continue;
        }
        for (guint j = 0; j < profile->threads->len; j++)
            visit_array(
                section,
                fc_array_of(&g_array_index(profile->threads, FcProfileThread, j), section->array),
                visit, number);
    }
}

/* Marks the module of an address in the lists of version 3.0. */
static void mark_address(const FcProfile *profile, guint64 address, guint *number)
{
    for (guint i = 0; i < profile->modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);
        if (address >= module->start && address < module->end)
            number[i] = 1;
    }
}

static void mark_blocks(const FcProfile *profile, const GArray *blocks, guint *number)
{
    /* stacks that were visited: many blocks share one */
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < blocks->len; i++)
    {
        const FcProfileBlock *block = &g_array_index(blocks, FcProfileBlock, i);
        mark_address(profile, block->site, number);
        mark_address(profile, block->realloc_site, number);
        if (!block->stack || !g_hash_table_add(seen, block->stack))
            continue;
        for (guint j = 0; j < block->stack->len; j++)
            mark_address(profile, g_array_index(block->stack, guint64, j), number);
    }
}

void fc_profile_drop_modules(FcProfile *profile)
{
    GArray *modules = profile->modules;
    g_autofree guint *number = g_new0(guint, modules->len + 1);
    guint kept = 0;
    number[0] = 1;
    visit_all(profile, mark, number);
    mark_blocks(profile, profile->leaks, number);
    mark_blocks(profile, profile->bad_frees, number);
    mark_blocks(profile, profile->bad_reallocs, number);
    for (guint i = 0; i < modules->len; i++)
    {
        if (number[i] == 0)
            continue;
        const FcProfileModule module = g_array_index(modules, FcProfileModule, kept);
        g_array_index(modules, FcProfileModule, kept) = g_array_index(modules, FcProfileModule, i);
        g_array_index(modules, FcProfileModule, i) = module; /* so that each is freed once */
        number[i] = ++kept;
    }
    g_array_set_size(modules, kept);
    visit_all(profile, renumber, number);
}
