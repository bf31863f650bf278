/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --only and --not; see select.h.
 */
#include "model/select.h"

#include <fnmatch.h>
#include <string.h>

#include "symbols/shorten.h"

static gboolean name_fits(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* Whether one of the function's names is `pattern` or fits it: the ones that are shown, the linkage
 * name, and that one's with and without parameters. */
static gboolean function_fits(const char *pattern, const FcFunction *function)
{
    const char *raw = function->symbol.raw_name;
    if (strcmp(pattern, function->name) == 0 || strcmp(pattern, function->label) == 0 ||
        name_fits(pattern, function->symbol.name))
        return TRUE;
    if (!raw)
        return FALSE;
    g_autofree char *plain = fc_demangle_name(raw, FC_DEMANGLE_PLAIN);
    g_autofree char *whole = fc_demangle_name(raw, FC_DEMANGLE_PARAMS);
    return name_fits(pattern, raw) || name_fits(pattern, plain) || name_fits(pattern, whole);
}

/* Marks the function that contains the address, in any of its copies.  FALSE: there is none. */
static gboolean mark_address(const FcModel *model, guint64 address, gboolean *set)
{
    gboolean found = FALSE;
    FcProfileLocation location;
    FcSymbol symbol;
    fc_profile_locate(model->profile, address, G_MAXUINT64, &location);
    fc_symbols_find_name(model->symbols, model->profile, &location, FALSE, &symbol);
    for (guint i = 0; i < model->profile->functions->len; i++)
    {
        const FcProfileLocation *entry =
            &g_array_index(model->profile->functions, FcProfileFunction, i).location;
        guint function = model->function_of[i];
        const FcSymbol *own = &fc_model_function(model, function)->symbol;
        if (entry->address != address &&
            (!symbol.raw_name || !own->raw_name || entry->module != location.module ||
             (own->start != symbol.start && entry->offset != symbol.start)))
            continue;
        set[function] = TRUE;
        found = TRUE;
    }
    return found;
}

/* Marks the functions whose names end with `pattern` after a scope: "Log::put" means
 * store::Log::put.  Template arguments may be left out: "List::find" means List<int>::find.  FALSE:
 * there is none. */
static gboolean mark_ends(const FcModel *model, const char *pattern, gboolean *set)
{
    gboolean found = FALSE;
    g_autofree char *end = g_strconcat("::", pattern, NULL);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const char *name = fc_model_function(model, i)->symbol.name;
        g_autofree char *bare = fc_shorten_bare(name);
        if (!g_str_has_suffix(name, end) && strcmp(bare, pattern) != 0 &&
            !g_str_has_suffix(bare, end))
            continue;
        set[i] = TRUE;
        found = TRUE;
    }
    return found;
}

gboolean fc_select_mark(const FcModel *model, const char *pattern, gboolean *set)
{
    gboolean found = FALSE;
    guint64 address = 0;
    if (g_str_has_prefix(pattern, "0x") &&
        g_ascii_string_to_unsigned(pattern + 2, 16, 0, G_MAXUINT64, &address, NULL))
        found = mark_address(model, address, set);
    for (guint i = 0; i < model->functions->len; i++)
    {
        if (!function_fits(pattern, fc_model_function(model, i)))
            continue;
        set[i] = TRUE;
        found = TRUE;
    }
    return found || mark_ends(model, pattern, set);
}

char *fc_select_missing(const char *option, const char *pattern, const char *what)
{
    return g_strdup_printf("%s: '%s' fits no %s of", option, pattern, what);
}

/* Returns the Levenshtein distance, without regard to case: how many letters have to be inserted,
 * removed or changed.  It is `most` + 1 if it is more than `most`. */
static guint distance(const char *one, const char *other, guint most)
{
    const guint width = (guint)strlen(other);
    g_autofree guint *row = g_new(guint, width + 1);
    for (guint i = 0; i <= width; i++)
        row[i] = i;
    for (const char *p = one; *p != '\0'; p++)
    {
        guint before = row[0]++;
        for (guint i = 0; i < width; i++)
        {
            const guint same = before + (g_ascii_tolower(*p) != g_ascii_tolower(other[i]) ? 1 : 0);
            before = row[i + 1];
            row[i + 1] = MIN(same, MIN(before, row[i]) + 1);
        }
    }
    return MIN(row[width], most + 1);
}

/* Returns the name most like the pattern, of which a third of the letters may differ.  NULL: there
 * is none. */
static const char *nearest(const FcModel *model, const char *pattern)
{
    guint most = (guint)strlen(pattern) / 3;
    const char *best = NULL;
    const char *scope = g_strrstr(pattern, "::");
    for (guint i = 0; most > 0 && i < model->functions->len; i++)
    {
        const char *name = fc_model_function(model, i)->symbol.name;
        const char *last = g_strrstr(name, "::");
        const guint off = distance(pattern, !scope && last ? last + 2 : name, most);
        if (off > most)
            continue;
        best = name;
        most = off - 1; /* from now on it must be nearer; an equal name would have fitted */
    }
    return best;
}

/* Whether `pattern` names a function that the compiler inlined everywhere: its whole name, or its
 * end behind a scope. */
static gboolean is_inlined_name(const char *pattern, const char *name)
{
    g_autofree char *bare = fc_shorten_bare(name);
    g_autofree char *end = g_strconcat("::", pattern, NULL);
    return strcmp(name, pattern) == 0 || strcmp(bare, pattern) == 0 || g_str_has_suffix(bare, end);
}

/* Whether the compiler inlined the function everywhere.  If hooks are put in after inlining, it
 * then has none. */
static gboolean is_inlined_everywhere(const FcModel *model, const char *pattern)
{
    for (guint m = 0; m < model->profile->modules->len; m++)
    {
        g_autoptr(GArray) list = fc_symbols_list_inlined(model->symbols, model->profile, m);
        for (guint i = 0; list && i < list->len; i++)
            if (is_inlined_name(pattern, g_array_index(list, FcInlined, i).name))
                return TRUE;
    }
    return FALSE;
}

void fc_select_mark_all(const FcModel *model, const GPtrArray *patterns, const char *option,
                        gboolean *set, GPtrArray *missing)
{
    for (guint i = 0; i < patterns->len; i++)
    {
        const char *pattern = patterns->pdata[i];
        if (fc_select_mark(model, pattern, set))
            continue;
        const gboolean is_inlined = is_inlined_everywhere(model, pattern);
        const char *like = is_inlined ? NULL : nearest(model, pattern);
        g_autofree char *what =
            is_inlined ? g_strdup("function (it was inlined everywhere: --inlined lists these)")
            : like     ? g_strdup_printf("function (did you mean '%s'?)", like)
                       : g_strdup("function");
        g_ptr_array_add(missing, fc_select_missing(option, pattern, what));
    }
}

static gboolean *make_set(const FcModel *model, const GPtrArray *patterns, const char *option,
                          const FcSelection *selection, GPtrArray *missing)
{
    guint count = model->functions->len;
    gboolean *set = g_new0(gboolean, count + 1);
    fc_select_mark_all(model, patterns, option, set, missing);
    /* Callees of the named functions and callers of the named functions: not callees of callers. */
    g_autofree gboolean *above = g_memdup2(set, (count + 1) * sizeof *set);
    if (selection->callees)
        fc_callgraph_spread(model->graph, set, FC_SPREAD_CALLEES);
    if (selection->callers)
        fc_callgraph_spread(model->graph, above, FC_SPREAD_CALLERS);
    for (guint i = 0; i < count; i++)
        set[i] = set[i] || above[i];
    return set;
}

void fc_select_apply(FcModel *model, const FcSelection *selection, GPtrArray *missing,
                     GPtrArray *warnings)
{
    g_autofree gboolean *only = make_set(model, selection->only, "--only", selection, missing);
    g_autofree gboolean *except = make_set(model, selection->except, "--not", selection, warnings);
    for (guint i = 0; i < model->functions->len; i++)
    {
        FcFunction *function = &g_array_index(model->functions, FcFunction, i);
        function->excluded = except[i] || (model->of_threads && function->figures.calls == 0 &&
                                           function->figures.times.total_ns == 0);
        function->shown = !function->excluded && (selection->only->len == 0 || only[i]);
    }
}
