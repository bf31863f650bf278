/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a profile's counts and times to those of the model.  See profile.h.
 *
 * With -l the callers of a function are source lines.  A line has no time of its own, since only
 * calls are timed; it has the calls that it made, and what they took.
 */
#include "fcgprof/profile.h"

#include "fcgprof/graph.h"
#include "fcgprof/symspec.h"
#include <string.h>

/* ---- Calls ------------------------------------------------------------------------------- */

static guint hash_call(gconstpointer key)
{
    const FcGCallSite *call = key;

    return g_int64_hash(&call->site) * 31 + g_direct_hash(call->callee);
}

static gboolean equal_calls(gconstpointer a, gconstpointer b)
{
    const FcGCallSite *left = a, *right = b;

    return left->caller == right->caller && left->callee == right->callee &&
           left->site == right->site;
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

/* The arc of all calls of one function from one line. */
static FcGArc *line_arc(FcGProfile *profile, FcGSym *line, FcGSym *callee)
{
    FcGArc key = {.parent = line, .child = callee};
    FcGArc *arc = g_hash_table_lookup(profile->line_arcs, &key);

    if (arc)
        return arc;
    arc = fc_gmodel_alloc(profile->model, sizeof *arc);
    *arc = key;
    g_hash_table_add(profile->line_arcs, arc);
    g_ptr_array_add(profile->lines, arc);
    return arc;
}

static FcGCallSite *make_call(FcGProfile *profile, FcGCallSite key, gboolean is_inlined)
{
    gboolean by_line = profile->model->options->by_line && key.caller;
    FcGSym *line = by_line && !is_inlined ? find_line(profile, key.site, key.caller) : key.caller;

    if (key.caller && !fc_gspecs_selects_arc(profile->model->specs, line, key.callee))
        return NULL;
    FcGCallSite *call = fc_gmodel_alloc(profile->model, sizeof *call);
    *call = key;
    call->arc = key.caller ? fc_garc_add(profile->model, key.caller, key.callee, 0)
                           : fc_gmeasured_outside(profile->model, key.callee);
    call->line = by_line ? line_arc(profile, line, key.callee) : NULL;
    g_hash_table_add(profile->call_table, call);
    g_ptr_array_add(profile->calls, call);
    return call;
}

FcGCallSite *fc_gprofile_add_call(FcGProfile *profile, guint64 site, FcGSym *caller, FcGSym *callee,
                                  guint64 count, gboolean is_inlined)
{
    const FcGCallSite key = {.site = caller ? site : 0, .caller = caller, .callee = callee};
    FcGCallSite *call = g_hash_table_lookup(profile->call_table, &key);

    if (!call)
        call = make_call(profile, key, is_inlined);
    if (!call)
        return NULL;
    call->count += count;
    call->arc->count += count;
    if (!call->line)
        return call;
    call->line->count += count;
    /* A line shows how often each of its call sites was passed. */
    if (call->line->parent->owner && count > 0)
        fc_gsym_add_block(profile->model, call->line->parent, site, count, G_MAXUINT);
    return call;
}

FcGCallSite *fc_gprofile_find_call(FcGProfile *profile, const FcProfileLocation *place,
                                   FcGSym *caller, FcGSym *callee)
{
    const FcGCallSite key = {fc_gprofile_addr(profile, place), caller, callee};
    FcGCallSite *call = g_hash_table_lookup(profile->call_table, &key);

    /* Calls that are left out have made no arc, or none with that line. */
    if (!call && fc_garc_find(profile->model, caller, callee))
        call = make_call(profile, key, FALSE);
    return call;
}

static void add_calls(FcGProfile *profile)
{
    const GArray *arcs = fc_gprofile_data(profile)->arcs;

    profile->call_table = g_hash_table_new(hash_call, equal_calls);
    profile->calls = g_ptr_array_new();
    profile->line_arcs = fc_garc_set_new();
    profile->lines = g_ptr_array_new();
    for (guint i = 0; i < arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(arcs, FcProfileArc, i);
        FcGSym *callee = profile->syms[arc->callee];
        FcGSym *caller = arc->caller == FC_NONE ? NULL : profile->syms[arc->caller];
        FcGCallSite *call =
            callee ? fc_gprofile_add_call(profile, fc_gprofile_addr(profile, &arc->site), caller,
                                          callee, arc->calls, profile->loaded->inlined[i])
                   : NULL;

        if (!call)
            continue;
        callee->ncalls += arc->calls;
        call->total += (double)arc->times.total_ns;
    }
}

/* Puts lines in the place of callers. */
static void show_lines(FcGProfile *profile)
{
    FcGModel *model = profile->model;

    if (!model->options->by_line)
        return;
    for (guint i = 0; i < model->symtab.len; i++)
        model->symtab.syms[i].parents = NULL;
    for (guint i = 0; i < profile->lines->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(profile->lines, i);
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

/* ---- Times ------------------------------------------------------------------------------- */

/* gprof does not know of calls from outside; here they are among those of the cycle. */
static void add_outside_to_cycles(FcGModel *model)
{
    for (guint i = 1; i <= model->n_cycles; i++)
        model->cycles[i].ncalls += fc_gmeasured_sum_outside(&model->cycles[i]).count;
}

static void take_local_times(FcGProfile *profile)
{
    const GArray *functions = fc_gprofile_data(profile)->functions;

    for (guint i = 0; i < functions->len; i++)
    {
        double local_ns = (double)g_array_index(functions, FcProfileFunction, i).times.local_ns;

        if (!profile->syms[i])
            continue;
        profile->syms[i]->time += local_ns;
        profile->model->total_ticks += local_ns;
    }
}

/* Each call site has as much of its arc's time as of its calls. */
static void share_by_line(FcGProfile *profile)
{
    for (guint i = 0; i < profile->calls->len; i++)
    {
        const FcGCallSite *call = g_ptr_array_index(profile->calls, i);

        if (!call->line || call->arc->count == 0)
            continue;
        double share = (double)call->count / (double)call->arc->count;
        call->line->time += call->arc->time * share;
        call->line->child_time += call->arc->child_time * share;
    }
}

static void describe_times(FcGProfile *profile)
{
    const FcProfile *data = fc_gprofile_data(profile);

    profile->measured.is_cpu =
        profile->loaded->time == FC_TIME_PART_CPU && fc_profile_waits(data) != FC_WAITS_UNKNOWN;
    for (guint i = 0; i < data->functions->len; i++)
    {
        const FcProfileFunction *figures = &g_array_index(data->functions, FcProfileFunction, i);

        profile->measured.is_estimated |= figures->counted > figures->timed;
    }
}

void fc_gprofile_measure(FcGProfile *profile)
{
    const FcProfile *data = fc_gprofile_data(profile);
    FcGModel *model = profile->model;

    add_calls(profile);
    if (model->options->static_calls)
        fc_gprofile_add_static_calls(profile);
    describe_times(profile);
    fc_gmeasured_choose_unit(model, (double)profile->loaded->base_ns);
    take_local_times(profile);
    if (!data->extended)
    {
        profile->measured.is_split_by_calls = TRUE;
        fc_ggraph_assemble(model);
        add_outside_to_cycles(model);
        share_by_line(profile);
    }
    else
    {
        fc_ggraph_take_out_self_arcs(model);
        fc_gcycles_find(model);
        add_outside_to_cycles(model);
        fc_ggraph_filter(model);
        fc_gprofile_sum_times(profile);
    }
    show_lines(profile);
    fc_ggraph_number(model);
    fc_gprofile_label_symbols(profile);
}
