/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of a process's modules: see modules.h.
 */
#include "fcmanager/counts/modules.h"

#include <string.h>

/* A program that loads and unloads the same few plug-ins for ever must not fill the manager's
 * memory.  From REUSE_FROM modules on, one that equals a listed one is not listed again.  From
 * MODULES_MAX on, nothing new is listed. */
#define REUSE_FROM 4096
#define MODULES_MAX 65536

#define CHANGES_MAX 8192

struct FcModules
{
    GArray *list;    /* FcModule */
    GArray *changes; /* FcModuleChange, the latest */
    guint dropped;   /* how many earlier changes are not in `changes` any more */
};

static void module_clear(gpointer data)
{
    FcModule *module = data;
    g_free(module->path);
    g_free(module->build_id);
}

FcModules *fc_modules_new(void)
{
    FcModules *modules = g_new0(FcModules, 1);
    modules->list = g_array_new(FALSE, TRUE, sizeof(FcModule));
    g_array_set_clear_func(modules->list, module_clear);
    modules->changes = g_array_new(FALSE, TRUE, sizeof(FcModuleChange));
    return modules;
}

FcModules *fc_modules_copy(const FcModules *modules)
{
    FcModules *copy = fc_modules_new();
    for (guint i = 0; i < modules->list->len; i++)
    {
        FcModule module = g_array_index(modules->list, FcModule, i);
        if (module.unload_time != G_MAXUINT64)
            continue;
        module.path = g_strdup(module.path);
        module.build_id = g_strdup(module.build_id);
        module.load_time = module.since = 0; /* there from the child's first moment */
        g_array_append_val(copy->list, module);
    }
    return copy;
}

void fc_modules_free(FcModules *modules)
{
    if (!modules)
        return;
    g_array_unref(modules->list);
    g_array_unref(modules->changes);
    g_free(modules);
}

char *fc_modules_hex(const guint8 *bytes, gsize count)
{
    if (count == 0)
        return NULL;
    GString *text = g_string_sized_new(2 * count);
    for (gsize i = 0; i < count; i++)
        g_string_append_printf(text, "%02x", bytes[i]);
    return g_string_free(text, FALSE);
}

/* Copies a path up to the first NUL.  The profile's writer escapes what else may be in it. */
static char *copy_path(const char *path, gsize bytes)
{
    const char *nul = memchr(path, '\0', bytes);
    return g_strndup(path, nul ? (gsize)(nul - path) : bytes);
}

static void add_change(FcModules *modules, guint64 time, guint64 start, guint64 end)
{
    FcModuleChange change = {time, start, end};
    if (modules->changes->len >= CHANGES_MAX)
    {
        g_array_remove_range(modules->changes, 0, CHANGES_MAX / 2);
        modules->dropped += CHANGES_MAX / 2;
    }
    g_array_append_val(modules->changes, change);
}

static gboolean same(const FcModule *module, const struct FcModuleInfo *info, const char *path,
                     const char *build_id)
{
    return module->base == info->base && module->start == info->start && module->end == info->end &&
           strcmp(module->path, path) == 0 && g_strcmp0(module->build_id, build_id) == 0;
}

gboolean fc_modules_are_crowded(const FcModules *modules)
{
    return modules->list->len >= REUSE_FROM;
}

gboolean fc_modules_load(FcModules *modules, const struct FcModuleInfo *info, const char *path,
                         gsize path_bytes, guint64 time)
{
    FcModule module = {copy_path(path, path_bytes),
                       fc_modules_hex(info->build_id, MIN(info->build_id_bytes, FC_BUILD_ID_MAX)),
                       info->base,
                       info->start,
                       info->end,
                       time,
                       time,
                       G_MAXUINT64};
    gboolean crowded = fc_modules_are_crowded(modules);
    for (guint i = 0; i < modules->list->len; i++)
    {
        FcModule *old = &g_array_index(modules->list, FcModule, i);
        gboolean is_gone = old->unload_time != G_MAXUINT64;
        if ((is_gone && !crowded) || !same(old, info, module.path, module.build_id))
            continue;
        if (is_gone)
        {
            old->since = time;
            old->unload_time = G_MAXUINT64;
            add_change(modules, time, info->start, info->end);
        }
        module_clear(&module);
        return TRUE;
    }
    if (modules->list->len >= MODULES_MAX)
    {
        module_clear(&module);
        return FALSE;
    }
    g_array_append_val(modules->list, module);
    add_change(modules, time, info->start, info->end);
    return TRUE;
}

/* Another library at the same addresses is often announced before this one's end.  The build-id,
 * and the order in the list, say which one is gone. */
void fc_modules_unload(FcModules *modules, const struct FcModuleInfo *info, guint64 time)
{
    g_autofree char *build_id =
        fc_modules_hex(info->build_id, MIN(info->build_id_bytes, FC_BUILD_ID_MAX));
    for (guint i = 0; i < modules->list->len; i++)
    {
        FcModule *module = &g_array_index(modules->list, FcModule, i);
        if (module->unload_time != G_MAXUINT64 || module->base != info->base ||
            module->start != info->start || module->end != info->end ||
            g_strcmp0(module->build_id, build_id) != 0)
            continue;
        module->unload_time = MAX(time, module->since);
        add_change(modules, time, info->start, info->end);
        return;
    }
}

static guint64 distance(const FcModule *module, guint64 time)
{
    if (time < module->since)
        return module->since - time;
    if (time >= module->unload_time && module->unload_time != G_MAXUINT64)
        return time - module->unload_time + 1;
    return 0;
}

gint fc_modules_find(const FcModules *modules, guint64 address, guint64 time)
{
    const FcModule *best = NULL;
    guint64 best_distance = 0;
    for (guint i = 0; i < modules->list->len; i++)
    {
        const FcModule *module = &g_array_index(modules->list, FcModule, i);
        if (address < module->start || address >= module->end)
            continue;
        guint64 away = distance(module, time);
        if (!best || away < best_distance ||
            (away == best_distance && module->since >= best->since))
        {
            best = module;
            best_distance = away;
        }
    }
    return best ? (gint)(best - &g_array_index(modules->list, FcModule, 0)) : FC_NONE;
}

guint fc_modules_count(const FcModules *modules)
{
    return modules->list->len;
}

const FcModule *fc_modules_get(const FcModules *modules, guint index)
{
    return &g_array_index(modules->list, FcModule, index);
}

guint fc_modules_change_count(const FcModules *modules)
{
    return modules->dropped + modules->changes->len;
}

const FcModuleChange *fc_modules_change(const FcModules *modules, guint index)
{
    if (index < modules->dropped)
        return NULL;
    return &g_array_index(modules->changes, FcModuleChange, index - modules->dropped);
}
