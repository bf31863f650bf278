/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shortens names; see short-names.h.
 */
#include "fcdump/short-names.h"

#include "symbols/shorten.h"

#include <string.h>

enum
{
    LEAST_WIDTH = 12, /* in fewer columns names can't be told apart */
    BEFORE_CHANGE = 4,
    LEVEL_WIDTH = 3, /* of a tree's level */
};

struct FcShortNames
{
    const char *ellipsis;
    GHashTable *given; /* shortened text -> name that it stands for; both owned */
};

FcShortNames *fc_short_names_new(const char *ellipsis)
{
    FcShortNames *names = g_new0(FcShortNames, 1);
    names->ellipsis = ellipsis;
    names->given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return names;
}

void fc_short_names_free(FcShortNames *names)
{
    if (!names)
        return;
    g_hash_table_unref(names->given);
    g_free(names);
}

static guint length_of(const char *text)
{
    return (guint)g_utf8_strlen(text, -1);
}

/* How many characters are the same at the start of both. */
static guint same_start(const char *one, const char *other)
{
    guint count = 0;
    while (*one != '\0' && g_utf8_get_char(one) == g_utf8_get_char(other))
    {
        one = g_utf8_next_char(one);
        other = g_utf8_next_char(other);
        count++;
    }
    return count;
}

static void append_part(GString *text, const char *name, guint from, guint count)
{
    const char *start = g_utf8_offset_to_pointer(name, from);
    g_string_append_len(text, start, g_utf8_offset_to_pointer(start, count) - start);
}

/* The start and the end of the name, with `between` in place of the middle. */
static char *keep_ends(const char *name, guint width, const char *between)
{
    const guint length = length_of(name);
    const guint keep = width - MIN(length_of(between), width);
    GString *text = g_string_new(NULL);
    append_part(text, name, 0, keep / 2);
    g_string_append(text, between);
    append_part(text, name, length - (keep - keep / 2), keep - keep / 2);
    return g_string_free(text, FALSE);
}

/* As much of the name's start as fits. */
static char *fit_start(const char *name, guint width, const char *ellipsis)
{
    if (length_of(name) <= width)
        return g_strdup(name);
    GString *text = g_string_new(NULL);
    append_part(text, name, 0, width - MIN(length_of(ellipsis), width));
    g_string_append(text, ellipsis);
    return g_string_free(text, FALSE);
}

/* The name without its scopes. */
static const char *own_name(const char *name)
{
    for (const char *p = name; (p = fc_shorten_behind_scope(p));)
        name = p;
    return name;
}

/* Start, end, and between them the piece from where `name` differs from `other`. */
static char *keep_change(const FcShortNames *names, const char *name, const char *other,
                         guint width)
{
    const guint length = length_of(name);
    const guint keep = width - MIN(2 * length_of(names->ellipsis), width);
    const guint part = keep / 3;
    const guint change = same_start(name, other);
    const guint from = change - MIN(BEFORE_CHANGE, change);
    if (from <= part || from + part >= length - (keep - 2 * part))
        return keep_ends(name, width, names->ellipsis); /* the ends show the difference */
    GString *text = g_string_new(NULL);
    append_part(text, name, 0, part);
    g_string_append(text, names->ellipsis);
    append_part(text, name, from, part);
    g_string_append(text, names->ellipsis);
    append_part(text, name, length - (keep - 2 * part), keep - 2 * part);
    return g_string_free(text, FALSE);
}

/* The name that has `text` already, if it is another one. */
static const char *taken_by(const FcShortNames *names, const char *text, const char *name)
{
    const char *other = g_hash_table_lookup(names->given, text);
    return other && strcmp(other, name) != 0 ? other : NULL;
}

/* Gives `text` to `name`, unless another one has it. */
static gboolean give(FcShortNames *names, const char *text, const char *name)
{
    if (taken_by(names, text, name))
        return FALSE;
    if (!g_hash_table_contains(names->given, text))
        g_hash_table_insert(names->given, g_strdup(text), g_strdup(name));
    return TRUE;
}

/* The name with as many parameters as fit.  Skips texts that `names`, which may be NULL, has given
 * to another `whole` name.  NULL: no such text fits. */
static char *cut_parameters(const FcShortNames *names, const char *name, const char *whole,
                            guint width, const char *ellipsis)
{
    char *found = NULL;
    if (length_of(name) <= width)
        return NULL;
    for (guint count = 0;; count++)
    {
        g_autofree char *text = fc_shorten_fewer_parameters(name, count, ellipsis);
        if (!text || length_of(text) > width)
            return found;
        if (names && taken_by(names, text, whole))
            continue;
        g_free(found);
        found = g_steal_pointer(&text);
    }
}

/* The name with fewer parameters; else without template arguments, then also with fewer parameters.
 * NULL: nothing fits that is not another function's. */
static char *cut_arguments(FcShortNames *names, const char *own, const char *whole, guint width)
{
    char *fewer = cut_parameters(names, own, whole, width, names->ellipsis);
    const char *mark = strcmp(names->ellipsis, "...") == 0 ? "<...>" : "‹…›";
    g_autofree char *bare = fewer ? NULL : fc_shorten_without_arguments(own, mark);
    if (bare && length_of(bare) <= width && !taken_by(names, bare, whole))
        fewer = g_strdup(bare);
    else if (bare)
        fewer = cut_parameters(names, bare, whole, width, names->ellipsis);
    if (fewer)
        give(names, fewer, whole);
    return fewer;
}

/* As much of the function's own name, without scopes, as fits: its start, unless another function
 * has that text. */
static char *shorten(FcShortNames *names, const char *name, guint width)
{
    const char *own = own_name(name);
    char *fewer = cut_arguments(names, own, name, width);
    if (fewer)
        return fewer;
    g_autofree char *text = fit_start(own, width, names->ellipsis);
    if (taken_by(names, text, name) && length_of(own) > width)
    {
        g_free(text);
        text = keep_ends(own, width, names->ellipsis);
    }
    const char *other = taken_by(names, text, name);
    if (other && own == name && length_of(name) > width)
    {
        g_free(text);
        text = keep_change(names, name, other, width);
    }
    for (guint number = 2; taken_by(names, text, name); number++)
    {
        g_autofree char *between =
            g_strdup_printf("%s%u%s", names->ellipsis, number, names->ellipsis);
        g_free(text);
        text = keep_ends(own, MIN(width, length_of(own)), between);
    }
    give(names, text, name);
    return g_steal_pointer(&text);
}

/* The name without its outermost scopes; NULL: even without all of them there is no room. */
static char *cut_scopes(FcShortNames *names, const char *name, guint width)
{
    const char *own = NULL; /* the name behind all scopes */
    const char *separator = NULL;
    for (const char *p = name; (p = fc_shorten_behind_scope(p));)
    {
        own = p;
        separator = p[-1] == ':' ? "::" : p[-2] == '>' ? " > " : " › ";
        g_autofree char *text = g_strconcat(names->ellipsis, separator, p, NULL);
        if (length_of(text) <= width && give(names, text, name))
            return g_steal_pointer(&text);
    }
    for (guint number = 2; own; number++)
    {
        g_autofree char *text =
            g_strdup_printf("%s%u%s%s", names->ellipsis, number, separator, own);
        if (length_of(text) > width)
            return NULL;
        if (give(names, text, name))
            return g_steal_pointer(&text);
    }
    return NULL;
}

/* Whether a tree has it before a name. */
static gboolean is_indentation(gunichar c)
{
    return c == ' ' || c == '|' || c == '`' || c == '-' || (c >= 0x2500 && c < 0x2580);
}

guint fc_short_names_indent(const char *name)
{
    const char *start = name;
    while (*start != '\0' && is_indentation(g_utf8_get_char(start)))
        start = g_utf8_next_char(start);
    return (guint)g_utf8_pointer_to_offset(name, start);
}

char *fc_short_names_narrow(const char *name)
{
    const guint indent = fc_short_names_indent(name);
    GString *text = g_string_new(NULL);
    if (indent % LEVEL_WIDTH != 0)
        g_string_append(text, name);
    else
    {
        for (guint at = 0; at < indent; at += LEVEL_WIDTH)
            append_part(text, name, at, 1);
        g_string_append_printf(text, "%s%s", indent > 0 ? " " : "",
                               g_utf8_offset_to_pointer(name, indent));
    }
    return g_string_free(text, FALSE);
}

/* The same with the arrow of a call graph: "-> " or "<- ", of which "-" is indentation. */
static guint indent_with_arrow(const char *name)
{
    const guint indent = fc_short_names_indent(name);
    const char *start = g_utf8_offset_to_pointer(name, indent);
    if (g_str_has_prefix(start, "<- "))
        return indent + (guint)strlen("<- ");
    return g_str_has_prefix(start, "> ") ? indent + (guint)strlen("> ") : indent;
}

char *fc_short_names_fit(FcShortNames *names, const char *name, guint width)
{
    const guint indent = indent_with_arrow(name);
    const char *start = g_utf8_offset_to_pointer(name, indent);
    if (indent + length_of(start) <= width && give(names, start, start))
        return g_strdup(name);
    if (indent + LEAST_WIDTH > width)
        return width < LEAST_WIDTH ? g_strdup(name) : keep_ends(name, width, names->ellipsis);
    g_autofree char *fits = cut_scopes(names, start, width - indent);
    if (!fits)
        fits = shorten(names, start, width - indent);
    g_autofree char *before = g_utf8_substring(name, 0, indent);
    return g_strconcat(before, fits, NULL);
}

char *fc_short_names_brief(const char *name, guint width, const char *ellipsis)
{
    if (length_of(name) <= width)
        return g_strdup(name);
    for (const char *p = name; (p = fc_shorten_behind_scope(p));)
    {
        g_autofree char *text = g_strconcat(ellipsis, p[-1] == ':' ? "::" : " ", p, NULL);
        if (length_of(text) <= width)
            return g_steal_pointer(&text);
    }
    char *fewer = cut_parameters(NULL, own_name(name), name, width, ellipsis);
    return fewer ? fewer : fit_start(own_name(name), width, ellipsis);
}

char *fc_short_names_ends(const char *name, guint width, const char *ellipsis)
{
    const char *own = own_name(name);
    return length_of(own) <= width ? g_strdup(own) : keep_ends(own, width, ellipsis);
}
