/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -l: call sites as source lines.  See profile.h.  A line has no time of its own, since only
 * calls are timed; it has the calls that it made, and what they took.
 */
#include "fcgprof/profile.h"

#include "fcgprof/arcs.h"
#include "fcgprof/symspec.h"
#include <string.h>

/* All calls of one function from one line. */
struct FcGLineArcs
{
    FcGProfile *profile;
    GHashTable *arcs;    /* set of FcGArc, by their ends */
    GHashTable *inlined; /* set of Site: that of an inlined function, where its caller was called */
    GPtrArray *sorted;   /* the same in the order in which they were met */
};

typedef struct
{
    const FcGSym *caller;
    const FcGSym *callee;
    guint64 addr;
} Site;

static guint hash_site(gconstpointer key)
{
    const Site *site = key;

    return g_int64_hash(&site->addr) * 31 + g_direct_hash(site->callee);
}

static gboolean equal_sites(gconstpointer a, gconstpointer b)
{
    const Site *left = a, *right = b;

    return left->caller == right->caller && left->callee == right->callee &&
           left->addr == right->addr;
}

static GHashTable *list_inlined(const FcGProfile *profile)
{
    const GArray *arcs = fc_gprofile_data(profile)->arcs;
    GHashTable *sites = g_hash_table_new_full(hash_site, equal_sites, g_free, NULL);

    for (guint i = 0; i < arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(arcs, FcProfileArc, i);

        if (!profile->loaded->inlined[i] || arc->caller == FC_NONE)
            continue;
        Site site = (Site){profile->syms[arc->caller], profile->syms[arc->callee],
                           fc_gprofile_addr(profile, &arc->site)};
        g_hash_table_add(sites, g_memdup2(&site, sizeof site));
    }
    return sites;
}

FcGLineArcs *fc_glinearcs_new(FcGProfile *profile)
{
    FcGLineArcs *arcs = g_new0(FcGLineArcs, 1);

    arcs->profile = profile;
    arcs->arcs = fc_garc_set_new();
    arcs->inlined = list_inlined(profile);
    arcs->sorted = g_ptr_array_new();
    return arcs;
}

void fc_glinearcs_free(FcGLineArcs *arcs)
{
    if (!arcs)
        return;
    g_hash_table_unref(arcs->arcs);
    g_hash_table_unref(arcs->inlined);
    g_ptr_array_unref(arcs->sorted);
    g_free(arcs);
}

/* The site of a call that was inlined, or that came through code that is not profiled, is not
 * in the caller's lines.  These may lie in another function that the caller was inlined into, or,
 * if they are seldom passed, far from the rest of it; then its name tells. */
static FcGSym *find_line(const FcGProfile *profile, guint64 site, FcGSym *caller)
{
    /* The site is where the call returns to. */
    FcGSym *sym = fc_gsymtab_find(&profile->model->symtab, site - 1);

    if (!sym || sym->is_func)
        return caller;
    if (sym->owner != caller && (strcmp(sym->name, caller->name) != 0 ||
                                 sym->addr >> FC_GMODULE_SHIFT != caller->addr >> FC_GMODULE_SHIFT))
        return caller;
    sym->owner = caller;
    return sym;
}

static FcGSym *line_of_call(const FcGLineArcs *arcs, guint64 site, FcGSym *caller, FcGSym *callee)
{
    Site place = {caller, callee, site};

    if (g_hash_table_contains(arcs->inlined, &place))
        return caller;
    return find_line(arcs->profile, site, caller);
}

gboolean fc_gprofile_selects_call(const FcGProfile *profile, const FcGLineArcs *lines, guint64 site,
                                  FcGSym *caller, FcGSym *callee)
{
    const FcGSym *parent = lines ? line_of_call(lines, site, caller, callee) : caller;

    return fc_gspecs_selects_arc(profile->model->specs, parent, callee);
}

FcGArc *fc_gprofile_find_arc(const FcGProfile *profile, const FcGLineArcs *lines,
                             const FcProfilePlace *site, FcGSym *caller, FcGSym *callee)
{
    FcGArc *arc = fc_garc_find(profile->model, caller, callee);

    /* Without lines, calls that are left out have made no arc. */
    if (arc && lines &&
        !fc_gprofile_selects_call(profile, lines, fc_gprofile_addr(profile, site), caller, callee))
        return NULL;
    return arc;
}

static FcGArc *get_arc(FcGLineArcs *arcs, guint64 site, FcGSym *caller, FcGSym *callee)
{
    FcGArc key = {.parent = line_of_call(arcs, site, caller, callee), .child = callee};
    FcGArc *arc = g_hash_table_lookup(arcs->arcs, &key);

    if (arc)
        return arc;
    arc = fc_gmodel_alloc(arcs->profile->model, sizeof *arc);
    *arc = key;
    g_hash_table_add(arcs->arcs, arc);
    g_ptr_array_add(arcs->sorted, arc);
    return arc;
}

/* A line shows how often each of its call sites was passed. */
static void add_block(FcGLineArcs *arcs, FcGSym *line, guint64 site, guint64 count)
{
    FcGBlocks **end = &line->blocks;
    guint i = 0;

    for (; *end; end = &(*end)->next)
    {
        for (i = 0; i < FC_GBLOCKS_MAX && (*end)->addr[i] && (*end)->addr[i] != site;)
            i++;
        if (i < FC_GBLOCKS_MAX)
            break;
    }
    if (!*end)
    {
        *end = fc_gmodel_alloc(arcs->profile->model, sizeof **end);
        i = 0;
    }
    (*end)->addr[i] = site;
    (*end)->count[i] += count;
}

void fc_glinearcs_add_calls(FcGLineArcs *arcs, guint64 site, FcGSym *caller, FcGSym *callee,
                            guint64 count)
{
    FcGArc *arc = get_arc(arcs, site, caller, callee);

    arc->count += count;
    if (arc->parent->owner && count > 0)
        add_block(arcs, arc->parent, site, count);
}

void fc_glinearcs_add_time(FcGLineArcs *arcs, guint64 site, FcGSym *caller, FcGSym *callee,
                           double time, double child_time)
{
    FcGArc *arc = get_arc(arcs, site, caller, callee);

    arc->time += time;
    arc->child_time += child_time;
}

void fc_glinearcs_apply(FcGLineArcs *arcs)
{
    FcGModel *model = arcs->profile->model;

    for (guint i = 0; i < model->symtab.len; i++)
        model->symtab.syms[i].parents = NULL;
    for (guint i = 0; i < arcs->sorted->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(arcs->sorted, i);
        FcGSym *line = arc->parent;

        arc->next_parent = arc->child->parents;
        arc->child->parents = arc;
        if (!line->owner)
            continue;
        line->ncalls += arc->count;
        line->cycle = line->owner->cycle;
        line->child_time += arc->time + arc->child_time;
        line->prop_child += arc->time + arc->child_time;
    }
}
