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
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(FcGOrderMapEntry));
    for (guint i = 0; lines[i] && is_good; i++)
    {
        const char *line = g_strchug(lines[i]);

        if (*line)
            is_good = read_line(line, entries);
    }
    g_array_sort(entries, compare_entries);
    FcGOrderMap *map = g_new0(FcGOrderMap, 1);
    map->len = entries->len;
    map->entries = (FcGOrderMapEntry *)(void *)g_array_free(entries, FALSE);
    if (is_good && map->len > 0)
        return map;
    fc_gorder_map_free(map);
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "%s: cannot be parsed as a map", path);
    return NULL;
}

void fc_gorder_map_free(FcGOrderMap *map)
{
    if (!map)
        return;
    for (guint i = 0; i < map->len; i++)
    {
        g_free(map->entries[i].function);
        g_free(map->entries[i].object);
    }
    g_free(map->entries);
    g_free(map);
}

const FcGOrderMapEntry *fc_gorder_map_find(const FcGOrderMap *map, const char *function)
{
    FcGOrderMapEntry key = {.function = (char *)function};

    return map->len ? bsearch(&key, map->entries, map->len, sizeof key, compare_entries) : NULL;
}
