/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which symbols gprof shows, by their names as well, and which an address belongs to.  See image.h.
 */
#include "gmon/image.h"

#include "profile/search.h"

#include <stdlib.h>
#include <string.h>

static const char CLONE[] = ".clone.", CONSTPROP[] = ".constprop.";

/* The length of `prefix` if more than that is at `text`, else 0. */
static gsize skip_prefix(const char *text, const char *prefix)
{
    gsize length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 && text[length] ? length : 0;
}

/* Steps over the suffix of a clone, a dot and digits, that begins at `at`; NULL if it is none. */
static const char *skip_suffix(const char *at)
{
    gboolean has_digit = FALSE;
    gsize length = skip_prefix(at, CLONE);

    if (length == 0)
        length = skip_prefix(at, CONSTPROP);
    for (at += MAX(length, 1); *at && !(has_digit && *at == '.'); at++)
    {
        if (!g_ascii_isdigit(*at))
            return NULL;
        has_digit = TRUE;
    }
    return at;
}

gboolean fc_gimage_shows_local(const char *name, FcGNextString next, gconstpointer data)
{
    if (!*name || g_str_has_prefix(name, "__gnu_compiled") ||
        g_str_has_prefix(name, "___gnu_compiled"))
        return FALSE;
    for (const char *at = name; at && *at;)
    {
        if (*at == '$')
            return FALSE;
        while (at && *at == '.')
            at = skip_suffix(at);
        if (!at)
            return FALSE;
        /* Where a suffix ends the name, gprof goes on with the string that follows in the
         * table.  That decides which clones are in its reports. */
        at = *at ? at + 1 : next(at, data);
    }
    return TRUE;
}

static int compare_ranges(const void *a, const void *b)
{
    const FcGRange *left = a, *right = b;
    int order = FC_GCOMPARE(left->addr, right->addr);

    if (order == 0)
        order = right->is_func - left->is_func;
    if (order == 0)
        order = left->is_static - right->is_static;
    return order != 0 ? order : FC_GCOMPARE(left->item, right->item);
}

/* Leading underscores, as far as they count. */
static int n_underscores(const char *name)
{
    if (name[0] != '_')
        return 0;
    return name[1] == '_' ? 2 : 1;
}

/* Whether the later of two symbols of one address takes the place of the one kept. */
static gboolean is_preferred(const FcGRange *later, const FcGRange *kept)
{
    if (later->is_static != kept->is_static)
        return kept->is_static;
    if (later->is_func != kept->is_func)
        return later->is_func;
    return n_underscores(later->name) < n_underscores(kept->name);
}

guint fc_granges_normalize(FcGRange *ranges, guint n, guint64 last_addr)
{
    guint64 prev_addr = 0;
    guint len = 0;

    qsort(ranges, n, sizeof *ranges, compare_ranges);
    for (guint i = 0; i < n; i++)
    {
        FcGRange range = ranges[i];

        if (len > 0 && range.addr == prev_addr)
        {
            if (is_preferred(&range, &ranges[len - 1]))
                ranges[len - 1] = range;
            continue;
        }
        if (len > 0 && ranges[len - 1].end_addr == 0)
            ranges[len - 1].end_addr = range.addr - 1;
        if (range.end_addr != 0 && range.addr > range.end_addr)
            continue;
        prev_addr = range.addr;
        ranges[len++] = range;
    }
    if (len > 0 && ranges[len - 1].end_addr == 0)
        ranges[len - 1].end_addr = last_addr;
    return len;
}

GArray *fc_granges_new(const FcGImage *image)
{
    GArray *ranges = g_array_copy(image->syms);
    FcGRange *items = (FcGRange *)(void *)ranges->data;

    for (guint i = 0; i < ranges->len; i++)
        items[i].item = i;
    g_array_set_size(ranges, fc_granges_normalize(items, ranges->len, image->text_end - 1));
    return ranges;
}

const FcGRange *fc_granges_find(const GArray *ranges, guint64 addr)
{
    const FcGRange *items = (const FcGRange *)(const void *)ranges->data;
    size_t bound = FC_FIRST_WHERE(ranges->len, i, items[i].addr > addr);

    return bound > 0 && addr <= items[bound - 1].end_addr ? &items[bound - 1] : NULL;
}
