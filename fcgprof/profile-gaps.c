/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times that no calling context tells of.  See profile.h.  The tree of contexts is bounded, and
 * a profile may come without one.  Then it is known what a function took itself, and what
 * each arc took, with everything below it; what is not known is how much of the latter was the
 * called function's own.  That part is taken to be the same for all of its callers.
 */
#include "fcgprof/profile.h"

#include "fcgprof/arcs.h"
#include "fcgprof/symspec.h"

/* Of a symbol of the table or, behind these, a cycle. */
typedef struct
{
    double own;  /* the functions' own time that no context tells of */
    double arcs; /* time of arcs to it that no context tells of */
} Gap;

/* Of an arc between functions, or of the calls of a function from outside. */
typedef struct
{
    double total; /* all call sites together */
    double missing;
} ArcGap;

typedef struct
{
    FcGProfile *profile;
    FcGModel *model;
    FcGLineArcs *lines;   /* or NULL */
    Gap *gaps;            /* symbols, then cycles */
    GHashTable *arc_gaps; /* FcGArc, or FcGOutside -> ArcGap */
} Filler;

static Gap *gap_of(const Filler *filler, const FcGSym *sym)
{
    guint index = sym->cycle ? filler->model->symtab.len + (guint)sym->cycle
                             : (guint)(sym - filler->model->symtab.syms);

    return &filler->gaps[index];
}

static FcGOutside *outside_of(const Filler *filler, const FcGSym *sym)
{
    return &filler->profile->measured.outside[sym - filler->model->symtab.syms];
}

/* ---- Own times --------------------------------------------------------------------------- */

/* Rounding to nanoseconds is no gap. */
static double tolerance(const FcProfile *data)
{
    return 2.0 * (data->contexts->len + data->functions->len);
}

/* What each symbol has beyond its contexts, in `*own`; the sum of it.  From here on symbols
 * have the functions' own times, to the nanosecond. */
static double find_own_gaps(const FcGProfile *profile, double *own)
{
    FcGModel *model = profile->model;
    const FcGSymtab *symtab = &model->symtab;
    const GArray *functions = fc_gprofile_data(profile)->functions;
    double sum = 0.0;

    for (guint i = 0; i < functions->len; i++)
    {
        const FcGSym *sym = profile->syms[i];

        if (sym)
            own[sym - symtab->syms] +=
                (double)g_array_index(functions, FcProfileFunction, i).local_ns;
    }
    model->total_ticks = 0.0;
    for (guint i = 0; i < symtab->len; i++)
    {
        double time = own[i];

        model->total_ticks += time;
        own[i] = MAX(time - symtab->syms[i].time, 0.0);
        symtab->syms[i].time = time;
        sum += own[i];
    }
    return sum;
}

static void add_own_times(Filler *filler, const double *own)
{
    FcGModel *model = filler->model;

    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (own[i] <= 0.0)
            continue;
        if (!fc_gspecs_selects(model->specs, FC_GTABLE_INCL_TIME, FC_GTABLE_EXCL_TIME, sym->addr))
            continue;
        gap_of(filler, sym)->own += own[i];
        sym->fraction = 1.0;
        sym->prop_self += own[i];
        model->graph_ticks += own[i];
        if (sym->cycle == 0)
            continue;
        sym->cycle_head->time += own[i];
        sym->cycle_head->prop_self += own[i];
    }
}

/* ---- Arcs ---------------------------------------------------------------------------------- */

/* The ends of a call site's arc, and what stands for it in `arc_gaps`; NULL for one that shows
 * no time: left out, or inside a cycle. */
static gconstpointer find_key(const Filler *filler, const FcProfileArc *arc, FcGSym **parent,
                              FcGSym **child)
{
    *child = filler->profile->syms[arc->callee];
    *parent = arc->caller == FC_NONE ? NULL : filler->profile->syms[arc->caller];
    if (!*child || (*child)->fraction <= 0.0)
        return NULL;
    if (!*parent)
        return outside_of(filler, *child);
    if (*parent == *child || (*parent)->fraction <= 0.0 ||
        ((*parent)->cycle != 0 && (*parent)->cycle == (*child)->cycle))
        return NULL;
    if (filler->lines &&
        !fc_gprofile_selects_call(filler->profile, filler->lines,
                                  fc_gprofile_addr(filler->profile, &arc->site), *parent, *child))
        return NULL;
    return fc_garc_find(filler->model, *parent, *child);
}

static const FcProfileArc *arc_at(const Filler *filler, guint index)
{
    return &g_array_index(fc_gprofile_data(filler->profile)->arcs, FcProfileArc, index);
}

static void find_arc_gaps(Filler *filler)
{
    guint n = fc_gprofile_data(filler->profile)->arcs->len;
    FcGSym *parent, *child;

    for (guint i = 0; i < n; i++)
    {
        gconstpointer key = find_key(filler, arc_at(filler, i), &parent, &child);
        ArcGap *gap = key ? g_hash_table_lookup(filler->arc_gaps, key) : NULL;
        const FcGArc *arc = key;
        const FcGOutside *outside = key;

        if (!key)
            continue;
        if (!gap)
        {
            gap = g_new0(ArcGap, 1);
            gap->missing =
                parent ? -(arc->time + arc->child_time) : -(outside->time + outside->child_time);
            g_hash_table_insert(filler->arc_gaps, (gpointer)key, gap);
        }
        gap->total += (double)arc_at(filler, i)->total_ns;
        gap->missing += (double)arc_at(filler, i)->total_ns;
    }
}

/* Once for each arc: what its function lacks in all. */
static void sum_arc_gaps(Filler *filler)
{
    guint n = fc_gprofile_data(filler->profile)->arcs->len;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    FcGSym *parent, *child;

    for (guint i = 0; i < n; i++)
    {
        gconstpointer key = find_key(filler, arc_at(filler, i), &parent, &child);
        ArcGap *gap = key ? g_hash_table_lookup(filler->arc_gaps, key) : NULL;

        if (!gap || !g_hash_table_add(seen, (gpointer)key))
            continue;
        gap->missing = MAX(gap->missing, 0.0);
        gap_of(filler, child)->arcs += gap->missing;
    }
}

static void fill_arc(Filler *filler, const FcProfileArc *arc)
{
    FcGSym *parent, *child;
    gconstpointer key = find_key(filler, arc, &parent, &child);
    const ArcGap *gap = key ? g_hash_table_lookup(filler->arc_gaps, key) : NULL;

    if (!gap || gap->missing <= 0.0 || gap->total <= 0.0)
        return;
    const Gap *whole = gap_of(filler, child);
    double share = gap->missing * (double)arc->total_ns / gap->total;
    double own = share * MIN(whole->own / whole->arcs, 1.0);
    if (!parent)
    {
        FcGOutside *outside = outside_of(filler, child);

        outside->time += own;
        outside->child_time += share - own;
        return;
    }
    fc_garc_find(filler->model, parent, child)->time += own;
    fc_garc_find(filler->model, parent, child)->child_time += share - own;
    fc_gprofile_credit(parent, share);
    if (filler->lines)
        fc_glinearcs_add_time(filler->lines, fc_gprofile_addr(filler->profile, &arc->site), parent,
                              child, own, share - own);
}

void fc_gprofile_fill_gaps(FcGProfile *profile, FcGLineArcs *lines)
{
    const FcProfile *data = fc_gprofile_data(profile);
    FcGModel *model = profile->model;
    g_autofree double *own = g_new0(double, model->symtab.len + 1);
    Filler filler = {.profile = profile, .model = model, .lines = lines};

    if (find_own_gaps(profile, own) <= tolerance(data))
        return;
    profile->measured.has_gaps = TRUE;
    filler.gaps = g_new0(Gap, model->symtab.len + model->n_cycles + 1);
    filler.arc_gaps = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    add_own_times(&filler, own);
    find_arc_gaps(&filler);
    sum_arc_gaps(&filler);
    for (guint i = 0; i < data->arcs->len; i++)
        fill_arc(&filler, arc_at(&filler, i));
    g_hash_table_unref(filler.arc_gaps);
    g_free(filler.gaps);
}
