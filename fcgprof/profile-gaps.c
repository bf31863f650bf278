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
    GHashTable *arc_gaps; /* FcGArc -> ArcGap */
    GPtrArray *arcs;      /* the same arcs in the order in which they were met */
} Filler;

static Gap *gap_of(const Filler *filler, const FcGSym *sym)
{
    guint index = sym->cycle ? filler->model->symtab.len + (guint)sym->cycle
                             : (guint)(sym - filler->model->symtab.syms);

    return &filler->gaps[index];
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
        fc_gprofile_credit_own(model, sym, own[i]);
    }
}

/* ---- Arcs ---------------------------------------------------------------------------------- */

/* The arc that a call site is in; NULL for one that shows no time: left out, or inside a cycle. */
static FcGArc *find_arc(const Filler *filler, const FcProfileArc *site)
{
    FcGSym *child = filler->profile->syms[site->callee];
    FcGSym *parent = site->caller == FC_NONE ? NULL : filler->profile->syms[site->caller];

    if (!child || child->fraction <= 0.0)
        return NULL;
    if (!parent)
        return fc_gmeasured_outside(filler->model, child);
    if (parent == child || parent->fraction <= 0.0 ||
        (parent->cycle != 0 && parent->cycle == child->cycle))
        return NULL;
    return fc_gprofile_find_arc(filler->profile, filler->lines, &site->site, parent, child);
}

static void add_site(Filler *filler, const FcProfileArc *site)
{
    FcGArc *arc = find_arc(filler, site);
    ArcGap *gap = arc ? g_hash_table_lookup(filler->arc_gaps, arc) : NULL;

    if (!arc)
        return;
    if (!gap)
    {
        gap = g_new0(ArcGap, 1);
        gap->missing = -(arc->time + arc->child_time);
        g_hash_table_insert(filler->arc_gaps, arc, gap);
        g_ptr_array_add(filler->arcs, arc);
    }
    gap->total += (double)site->total_ns;
    gap->missing += (double)site->total_ns;
}

/* What the functions that the arcs lead to lack in all. */
static void sum_arc_gaps(Filler *filler)
{
    for (guint i = 0; i < filler->arcs->len; i++)
    {
        const FcGArc *arc = g_ptr_array_index(filler->arcs, i);
        ArcGap *gap = g_hash_table_lookup(filler->arc_gaps, arc);

        gap->missing = MAX(gap->missing, 0.0);
        gap_of(filler, arc->child)->arcs += gap->missing;
    }
}

static void fill_site(Filler *filler, const FcProfileArc *site)
{
    FcGArc *arc = find_arc(filler, site);
    const ArcGap *gap = arc ? g_hash_table_lookup(filler->arc_gaps, arc) : NULL;

    if (!gap || gap->missing <= 0.0 || gap->total <= 0.0)
        return;
    const Gap *whole = gap_of(filler, arc->child);
    double share = gap->missing * (double)site->total_ns / gap->total;
    double own = share * MIN(whole->own / whole->arcs, 1.0);
    arc->time += own;
    arc->child_time += share - own;
    if (!arc->parent)
        return;
    fc_gprofile_credit(arc->parent, share);
    if (filler->lines)
        fc_glinearcs_add_time(filler->lines, fc_gprofile_addr(filler->profile, &site->site),
                              arc->parent, arc->child, own, share - own);
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
    filler.arcs = g_ptr_array_new();
    add_own_times(&filler, own);
    for (guint i = 0; i < data->arcs->len; i++)
        add_site(&filler, &g_array_index(data->arcs, FcProfileArc, i));
    sum_arc_gaps(&filler);
    for (guint i = 0; i < data->arcs->len; i++)
        fill_site(&filler, &g_array_index(data->arcs, FcProfileArc, i));
    g_ptr_array_unref(filler.arcs);
    g_hash_table_unref(filler.arc_gaps);
    g_free(filler.gaps);
}
