/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a profile's counts and times to those of the model.  See profile.h.
 */
#include "fcgprof/profile.h"

#include "fcgprof/arcs.h"
#include "fcgprof/cycles.h"
#include "fcgprof/graph.h"

static void add_arc(FcGProfile *profile, const FcProfileArc *arc, FcGLineArcs *lines)
{
    FcGModel *model = profile->model;
    FcGSym *child = profile->syms[arc->callee];
    FcGSym *parent = arc->caller == FC_NONE ? NULL : profile->syms[arc->caller];

    if (!child)
        return;
    if (!parent)
    {
        child->ncalls += arc->calls;
        fc_gmeasured_outside(model, child)->count += arc->calls;
        return;
    }
    if (!fc_gprofile_selects_call(profile, lines, fc_gprofile_addr(profile, &arc->site), parent,
                                  child))
        return;
    child->ncalls += arc->calls;
    fc_garc_add(model, parent, child, arc->calls);
    if (lines)
        fc_glinearcs_add_calls(lines, fc_gprofile_addr(profile, &arc->site), parent, child,
                               arc->calls);
}

/* gprof does not know of calls from outside; here they are among those of the cycle. */
static void add_outside_to_cycles(FcGModel *model)
{
    for (guint i = 1; i <= model->n_cycles; i++)
        model->cycles[i].ncalls += fc_gmeasured_sum_outside(model, &model->cycles[i]).count;
}

static void take_local_times(FcGProfile *profile)
{
    const GArray *functions = fc_gprofile_data(profile)->functions;

    for (guint i = 0; i < functions->len; i++)
    {
        double local_ns = (double)g_array_index(functions, FcProfileFunction, i).local_ns;

        if (profile->syms[i])
            profile->syms[i]->time += local_ns;
        profile->model->total_ticks += local_ns;
    }
}

/* Each call site has as much of its arc's time as of its calls. */
static void share_by_line(FcGProfile *profile, FcGLineArcs *lines)
{
    const GArray *arcs = fc_gprofile_data(profile)->arcs;

    for (guint i = 0; i < arcs->len; i++)
    {
        const FcProfileArc *site = &g_array_index(arcs, FcProfileArc, i);
        FcGSym *child = profile->syms[site->callee];
        FcGSym *parent = site->caller == FC_NONE ? NULL : profile->syms[site->caller];
        const FcGArc *arc = parent && child
                                ? fc_gprofile_find_arc(profile, lines, &site->site, parent, child)
                                : NULL;

        if (!arc || arc->count == 0)
            continue;
        double share = (double)site->calls / (double)arc->count;
        fc_glinearcs_add_time(lines, fc_gprofile_addr(profile, &site->site), parent, child,
                              arc->time * share, arc->child_time * share);
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
    g_autoptr(FcGLineArcs) lines = model->options->by_line ? fc_glinearcs_new(profile) : NULL;

    profile->measured.outside = g_new0(FcGArc *, model->symtab.len + 1);
    for (guint i = 0; i < data->arcs->len; i++)
        add_arc(profile, &g_array_index(data->arcs, FcProfileArc, i), lines);
    if (model->options->static_calls)
        fc_gprofile_add_static_calls(profile, lines);
    describe_times(profile);
    fc_gmeasured_choose_unit(model, (double)profile->loaded->base_ns);
    if (!data->extended)
    {
        profile->measured.is_split_by_calls = TRUE;
        take_local_times(profile);
        fc_ggraph_assemble(model);
        add_outside_to_cycles(model);
        if (lines)
        {
            share_by_line(profile, lines);
            fc_glinearcs_apply(lines);
            fc_ggraph_number(model);
        }
    }
    else
    {
        fc_ggraph_take_out_self_arcs(model);
        fc_gcycles_find(model);
        add_outside_to_cycles(model);
        fc_ggraph_filter(model);
        fc_gprofile_sum_times(profile, lines);
        fc_gprofile_fill_gaps(profile, lines);
        if (lines)
            fc_glinearcs_apply(lines);
        fc_ggraph_number(model);
    }
    fc_gprofile_label_symbols(profile);
}
