/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a linkage name to the one to show: C++ and Rust (both manglings), with what
 * compilers and linkers append to names kept readable; see demangle.h.
 */
#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* libiberty would also take names of other languages' schemes, such as those of plain C
 * that merely look like them. */
static gboolean looks_mangled(const char *name)
{
    return g_str_has_prefix(name, "_Z") || g_str_has_prefix(name, "_R") ||
           g_str_has_prefix(name, "__Z");
}

static char *demangle_rust(const char *raw, int options)
{
    /* Link-time optimization appends ".llvm.NUMBER", which says nothing to anyone. */
    const char *llvm = strstr(raw, ".llvm.");
    g_autofree char *bare = llvm ? g_strndup(raw, (gsize)(llvm - raw)) : g_strdup(raw);

    return rust_demangle(bare, options);
}

/* ".constprop.0.isra.1" becomes " [clone .constprop.0] [clone .isra.1]": a suffix is a
 * word and the numbers that follow it. */
static void append_clones(GString *text, const char *suffix)
{
    while (*suffix == '.')
    {
        gsize length = 1 + strcspn(suffix + 1, ".");

        while (suffix[length] == '.' && g_ascii_isdigit(suffix[length + 1]))
            length += 1 + strcspn(suffix + length + 1, ".");
        g_string_append_printf(text, " [clone %.*s]", (int)length, suffix);
        suffix += length;
    }
    g_string_append(text, suffix);
}

/* NULL where `raw`, which has no symbol version, is not mangled. */
static char *demangle_unversioned(const char *raw, int options)
{
    GString *text;

    if (!looks_mangled(raw))
        return NULL;
    char *plain = demangle_rust(raw, options);
    if (plain)
    {
        text = g_string_new(plain);
        free(plain);
        return g_string_free(text, FALSE);
    }
    const char *dot = strchr(raw, '.');
    g_autofree char *bare = dot ? g_strndup(raw, (gsize)(dot - raw)) : g_strdup(raw);
    plain = cplus_demangle(bare, options | DMGL_GNU_V3);
    if (!plain)
        return NULL;
    text = g_string_new(plain);
    free(plain);
    if (dot)
        append_clones(text, dot);
    return g_string_free(text, FALSE);
}

const char *fc_demangle_variant(const char *raw)
{
    if (!g_str_has_prefix(raw, "_Z"))
        return NULL;
    enum gnu_v3_ctor_kinds constructor = is_gnu_v3_mangled_ctor(raw);
    if (constructor == gnu_v3_complete_object_ctor)
        return "complete";
    if (constructor == gnu_v3_base_object_ctor)
        return "base";
    enum gnu_v3_dtor_kinds destructor = is_gnu_v3_mangled_dtor(raw);
    if (destructor == gnu_v3_complete_object_dtor)
        return "complete";
    if (destructor == gnu_v3_base_object_dtor)
        return "base";
    return destructor == gnu_v3_deleting_dtor ? "deleting" : NULL;
}

char *fc_demangle_name(const char *raw, FcDemangle style)
{
    int options = DMGL_ANSI | (style == FC_DEMANGLE_PARAMS ? DMGL_PARAMS : 0);
    const char *at = strchr(raw, '@');
    g_autofree char *bare = at && at != raw ? g_strndup(raw, (gsize)(at - raw)) : g_strdup(raw);
    g_autofree char *name = NULL;

    if (style != FC_DEMANGLE_NONE)
        name = demangle_unversioned(bare, options);
    if (!name)
        name = g_steal_pointer(&bare);
    /* "name@@VERSION" is the one that everybody calls; "name@VERSION" stands beside it. */
    if (!at || at == raw || at[1] == '@')
        return g_steal_pointer(&name);
    return g_strconcat(name, at, NULL);
}
