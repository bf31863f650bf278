/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses symbol specifications and finds what they match.  See symspec.h.
 */
#include "fcgprof/symspec.h"

#include "profile/search.h"
#include <stdlib.h>
#include <string.h>

/* One half of a specification and what it matched so far. */
typedef struct
{
    FcGPattern pattern;
    FcGFile *file; /* of pattern.file; NULL if there is no such file */
    guint last_match;
    GPtrArray *ranges; /* of FcGSym*: copies of the first symbol of each range */
} Half;

typedef struct
{
    FcGTable table;
    gboolean has_right;
    Half left;
    Half right;
} Spec;

struct FcGSpecs
{
    GPtrArray *ranges[FC_GTABLE_LAST]; /* of FcGSym*, by address */
};

static const char *const always_excluded[] = {
    "_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup",
};

static void parse_part(const char *text, FcGPattern *pattern)
{
    if (g_ascii_isdigit(*text))
        pattern->line = atoi(text);
    else if (*text)
        pattern->name = g_strdup(text);
}

static void parse_pattern(const char *text, FcGPattern *pattern)
{
    const char *colon = strrchr(text, ':');

    memset(pattern, 0, sizeof *pattern);
    if (colon)
    {
        if (colon > text)
            pattern->file = g_strndup(text, (gsize)(colon - text));
        parse_part(colon + 1, pattern);
    }
    else if (strchr(text, '.'))
    {
        pattern->file = g_strdup(text);
    }
    else
    {
        parse_part(text, pattern);
    }
}

void fc_gpattern_clear(FcGPattern *pattern)
{
    g_free(pattern->file);
    g_free(pattern->name);
    memset(pattern, 0, sizeof *pattern);
}

gboolean fc_gspec_parse(const char *text, FcGPattern *left, FcGPattern *right)
{
    const char *slash = strchr(text, '/');
    g_autofree char *first = slash ? g_strndup(text, (gsize)(slash - text)) : g_strdup(text);

    parse_pattern(first, left);
    if (slash)
        parse_pattern(slash + 1, right);
    return slash != NULL;
}

static void half_init(FcGModel *model, Half *half)
{
    half->ranges = g_ptr_array_new();
    if (!half->pattern.file)
        return;
    for (FcGFile *file = model->files; file && !half->file; file = file->next)
    {
        if (strcmp(file->base, half->pattern.file) == 0)
            half->file = file;
    }
}

static void half_clear(Half *half)
{
    fc_gpattern_clear(&half->pattern);
    if (half->ranges)
        g_ptr_array_free(half->ranges, TRUE);
}

static gboolean half_matches(const Half *half, const FcGSym *sym)
{
    if (half->pattern.name && strcmp(half->pattern.name, sym->name) != 0)
        return FALSE;
    if (half->pattern.line && half->pattern.line != sym->line)
        return FALSE;
    return !half->pattern.file || (half->file && half->file == sym->file);
}

/* Neighbouring symbols make one range. */
static void half_extend(FcGModel *model, Half *half, guint index, GPtrArray *table)
{
    const FcGSym *sym = &model->symtab.syms[index];
    guint n = half->ranges->len;
    FcGSym *last = n > 0 ? g_ptr_array_index(half->ranges, n - 1) : NULL, *range = last;

    if (!range || half->last_match + 1 != index)
    {
        range = fc_gmodel_alloc(model, sizeof *range);
        *range = *sym;
        range->cycle_head = range;
        /* gprof strings the ranges together by the links of the orderings, which start
         * from there. */
        range->order_next = last;
        g_ptr_array_add(half->ranges, range);
        if (table)
            g_ptr_array_add(table, range);
    }
    range->end_addr = sym->end_addr;
    half->last_match = index;
}

static void match_all(FcGModel *model, FcGSpecs *specs, GPtrArray *parsed)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        for (guint k = 0; k < parsed->len; k++)
        {
            Spec *spec = g_ptr_array_index(parsed, k);

            if (half_matches(&spec->left, sym))
                half_extend(model, &spec->left, i, specs->ranges[spec->table]);
            if (spec->has_right && half_matches(&spec->right, sym))
                half_extend(model, &spec->right, i, NULL);
        }
    }
}

/* Whether `range` has an arc to a range that holds all of `child`. */
static gboolean leads_to(const FcGSym *range, const FcGSym *child)
{
    for (const FcGArc *arc = range->children; arc; arc = arc->next_child)
    {
        if (child->addr >= arc->child->addr && child->end_addr <= arc->child->end_addr)
            return TRUE;
    }
    return FALSE;
}

/* Arcs of a specification are kept as arcs between copies of the symbols; they show
 * up in the function ordering, which lists all arcs that there are. */
static void add_arcs(FcGModel *model, const Spec *spec)
{
    for (guint i = spec->left.ranges->len; i > 0; i--)
    {
        FcGSym *from = g_ptr_array_index(spec->left.ranges, i - 1);

        for (guint k = spec->right.ranges->len; k > 0; k--)
        {
            FcGSym *to = g_ptr_array_index(spec->right.ranges, k - 1);

            if (!leads_to(from, to))
                fc_garc_add(model, from, to, 0);
        }
    }
}

static void free_spec(gpointer data)
{
    Spec *spec = data;

    half_clear(&spec->left);
    half_clear(&spec->right);
    g_free(spec);
}

static void add_spec(FcGModel *model, GPtrArray *parsed, const char *text, FcGTable table)
{
    Spec *spec = g_new0(Spec, 1);

    spec->table = table;
    spec->has_right = fc_gspec_parse(text, &spec->left.pattern, &spec->right.pattern);
    half_init(model, &spec->left);
    half_init(model, &spec->right);
    g_ptr_array_add(parsed, spec);
}

/* Of ranges that start at one symbol the first counts; ranges that hold no address
 * are dropped. */
static void drop_ranges(GPtrArray *ranges)
{
    guint n_kept = 0;

    for (guint i = 0; i < ranges->len; i++)
    {
        FcGSym *range = g_ptr_array_index(ranges, i);
        FcGSym *last = n_kept ? g_ptr_array_index(ranges, n_kept - 1) : NULL;

        if (last && last->addr == range->addr)
            continue;
        if (range->addr > range->end_addr)
            continue;
        g_ptr_array_index(ranges, n_kept++) = range;
    }
    g_ptr_array_set_size(ranges, (gint)n_kept);
}

FcGSpecs *fc_gspecs_new(FcGModel *model)
{
    FcGSpecs *specs = g_new0(FcGSpecs, 1);
    GPtrArray *parsed = g_ptr_array_new_with_free_func(free_spec);
    const GArray *texts = model->options->specs;

    for (guint i = 0; i < FC_GTABLE_LAST; i++)
        specs->ranges[i] = g_ptr_array_new();
    for (guint i = 0; i < G_N_ELEMENTS(always_excluded); i++)
    {
        add_spec(model, parsed, always_excluded[i], FC_GTABLE_EXCL_TIME);
        add_spec(model, parsed, always_excluded[i], FC_GTABLE_EXCL_GRAPH);
        add_spec(model, parsed, always_excluded[i], FC_GTABLE_EXCL_FLAT);
    }
    for (guint i = texts->len; i > 0; i--)
    {
        const FcGSpecText *text = &g_array_index(texts, FcGSpecText, i - 1);

        add_spec(model, parsed, text->text, text->table);
    }
    match_all(model, specs, parsed);
    for (guint i = 0; i < parsed->len; i++)
        add_arcs(model, g_ptr_array_index(parsed, i));
    for (guint i = 0; i < FC_GTABLE_LAST; i++)
        drop_ranges(specs->ranges[i]);
    g_ptr_array_free(parsed, TRUE);
    return specs;
}

void fc_gspecs_free(FcGSpecs *specs)
{
    if (!specs)
        return;
    for (guint i = 0; i < FC_GTABLE_LAST; i++)
        g_ptr_array_free(specs->ranges[i], TRUE);
    g_free(specs);
}

static gboolean has_any(const FcGSpecs *specs, FcGTable table)
{
    return specs->ranges[table]->len > 0;
}

static const FcGSym *range_at(const GPtrArray *ranges, gsize index)
{
    return g_ptr_array_index(ranges, index);
}

gboolean fc_gspecs_has(const FcGSpecs *specs, FcGTable table, guint64 addr)
{
    const GPtrArray *ranges = specs->ranges[table];
    size_t bound = FC_FIRST_WHERE(ranges->len, i, range_at(ranges, i)->addr > addr);

    return bound > 0 && addr <= range_at(ranges, bound - 1)->end_addr;
}

gboolean fc_gspecs_selects(const FcGSpecs *specs, FcGTable inclusions, guint64 addr)
{
    if (has_any(specs, inclusions))
        return fc_gspecs_has(specs, inclusions, addr);
    return !fc_gspecs_has(specs, inclusions + 1, addr);
}

gboolean fc_gspecs_keeps(const FcGSpecs *specs, FcGTable inclusions, guint64 addr,
                         gboolean is_inherited)
{
    if (!is_inherited)
        return fc_gspecs_selects(specs, inclusions, addr);
    return fc_gspecs_has(specs, inclusions, addr) || !fc_gspecs_has(specs, inclusions + 1, addr);
}

static gboolean has_arc(const GPtrArray *ranges, const FcGSym *parent, const FcGSym *child)
{
    for (guint i = 0; i < ranges->len; i++)
    {
        const FcGSym *range = g_ptr_array_index(ranges, i);

        if (parent->addr < range->addr || parent->addr > range->end_addr)
            continue;
        if (leads_to(range, child))
            return TRUE;
    }
    return FALSE;
}

gboolean fc_gspecs_selects_arc(const FcGSpecs *specs, const FcGSym *parent, const FcGSym *child)
{
    if (has_any(specs, FC_GTABLE_INCL_ARCS))
        return has_arc(specs->ranges[FC_GTABLE_INCL_ARCS], parent, child);
    return !has_arc(specs->ranges[FC_GTABLE_EXCL_ARCS], parent, child);
}
