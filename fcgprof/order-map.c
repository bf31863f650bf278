/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the file of -R.  See order-map.h.
 */
#include "fcgprof/order-map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_entries(const void *a, const void *b)
{
    const FcGOrderMapEntry *left = a, *right = b;

    return strcmp(left->function, right->function);
}

static gboolean read_line(const char *line, GArray *entries)
{
    const char *colon = strchr(line, ':'), *space;
    FcGOrderMapEntry entry;

    if (g_str_has_prefix(line, "No symbols in "))
        return TRUE;
    if (!colon || colon == line)
        return FALSE;
    space = strrchr(colon, ' ');
    entry.object = g_strndup(line, (gsize)(colon - line));
    entry.function = g_strdup(space ? space + 1 : colon + 1);
    entry.is_first = entries->len == 0 ||
                     strcmp(g_array_index(entries, FcGOrderMapEntry, entries->len - 1).object,
                            entry.object) != 0;
    g_array_append_val(entries, entry);
    return TRUE;
}

static void clear_entry(gpointer data)
{
    FcGOrderMapEntry *entry = data;

    g_free(entry->function);
    g_free(entry->object);
}

FcGOrderMap *fc_gorder_map_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    gboolean is_good = TRUE;

    if (!g_file_get_contents(path, &text, NULL, NULL))
    {
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    lines = g_strsplit(text, "\n", -1);
    g_autoptr(FcGOrderMap) map = g_new0(FcGOrderMap, 1);
    map->entries = g_array_new(FALSE, FALSE, sizeof(FcGOrderMapEntry));
    g_array_set_clear_func(map->entries, clear_entry);
    for (guint i = 0; lines[i] && is_good; i++)
    {
        const char *line = g_strchug(lines[i]);

        if (*line)
            is_good = read_line(line, map->entries);
    }
    g_array_sort(map->entries, compare_entries);
    if (is_good && map->entries->len > 0)
        return g_steal_pointer(&map);
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "%s: cannot be parsed as a map", path);
    return NULL;
}

void fc_gorder_map_free(FcGOrderMap *map)
{
    if (!map)
        return;
    g_array_unref(map->entries);
    g_free(map);
}

const FcGOrderMapEntry *fc_gorder_map_find(const FcGOrderMap *map, const char *function)
{
    const FcGOrderMapEntry key = {.function = (char *)function};

    return bsearch(&key, map->entries->data, map->entries->len, sizeof key, compare_entries);
}
