/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The findings in the HTML export: those of the first screen, from the same figures.  The page
 * has elapsed times and the part of them on the CPU; findings use that part.
 */
#include "fcdump/export-html.h"
#include "fcdump/findings.h"

static void free_copy(gpointer array)
{
    g_array_unref(array);
}

/* Copies an array whose elements have times at that offset.  Subtracts the time off the CPU from
 * total and local times. */
static GArray *copy_cpu(const GArray *array, guint size, gsize times_offset)
{
    GArray *copy = g_array_sized_new(FALSE, FALSE, size, array->len);
    g_array_append_vals(copy, array->data, array->len);
    for (guint i = 0; i < copy->len; i++)
    {
        FcProfileTimes *times =
            (FcProfileTimes *)(void *)(copy->data + (gsize)i * size + times_offset);
        times->total_ns -= MIN(times->total_wait_ns, times->total_ns);
        times->local_ns -= MIN(times->local_wait_ns, times->local_ns);
    }
    return copy;
}

/* A call graph of the same call sites, with the total times of `functions` and `arcs`. */
static FcCallgraph *copy_graph(const FcModel *model, const GArray *functions, const GArray *arcs)
{
    g_autofree guint64 *totals = g_new0(guint64, functions->len + 1);
    g_autoptr(GArray) sites = g_array_new(FALSE, FALSE, sizeof(FcCallSite));
    guint count;
    const FcArc *all = fc_callgraph_arcs(model->graph, &count);
    for (guint i = 0; i < functions->len; i++)
        totals[i] = g_array_index(functions, FcFunction, i).figures.times.total_ns;
    for (guint i = 0; i < count; i++)
        for (guint s = 0; s < all[i].site_count; s++)
        {
            FcCallSite site = all[i].sites[s];
            site.total_ns = g_array_index(arcs, FcProfileArc, site.tag).times.total_ns;
            g_array_append_val(sites, site);
        }
    return fc_callgraph_new(totals, functions->len, (const FcCallSite *)(void *)sites->data,
                            sites->len);
}

/* Makes the findings from copies with times on the CPU; all else is shared with the model. */
static GPtrArray *find_by_cpu(const FcReportContext *context)
{
    const FcModel *model = context->model;
    FcModel by_cpu = *model;
    FcProfile profile = *model->profile;
    g_autoptr(GPtrArray) copies = g_ptr_array_new_with_free_func(free_copy);
    profile.threads = g_array_copy(model->profile->threads);
    g_ptr_array_add(copies, profile.threads);
    for (guint i = 0; i < profile.threads->len; i++)
    {
        FcProfileThread *thread = &g_array_index(profile.threads, FcProfileThread, i);
        thread->functions = copy_cpu(thread->functions, sizeof(FcProfileThreadFunction),
                                     G_STRUCT_OFFSET(FcProfileThreadFunction, times));
        g_ptr_array_add(copies, thread->functions);
    }
    profile.arcs =
        copy_cpu(model->profile->arcs, sizeof(FcProfileArc), G_STRUCT_OFFSET(FcProfileArc, times));
    g_ptr_array_add(copies, profile.arcs);
    by_cpu.functions =
        copy_cpu(model->functions, sizeof(FcFunction),
                 G_STRUCT_OFFSET(FcFunction, figures) + G_STRUCT_OFFSET(FcProfileFunction, times));
    g_ptr_array_add(copies, by_cpu.functions);
    by_cpu.profile = &profile;
    by_cpu.time = FC_TIME_PART_CPU;
    by_cpu.local_ns = 0;
    for (guint i = 0; i < by_cpu.functions->len; i++)
        by_cpu.local_ns += fc_model_function(&by_cpu, i)->figures.times.local_ns;
    by_cpu.base_ns = model->base == FC_NONE
                         ? by_cpu.local_ns
                         : fc_model_function(&by_cpu, (guint)model->base)->figures.times.total_ns;
    g_autoptr(FcCallgraph) graph = copy_graph(model, by_cpu.functions, profile.arcs);
    by_cpu.graph = graph;
    FcReportContext own = *context;
    own.model = &by_cpu;
    return fc_findings_new(&own);
}

void fc_export_html_findings(const FcReportContext *context, FcJson *json)
{
    const FcModel *model = context->model;
    g_autoptr(GPtrArray) findings =
        model->time == FC_TIME_PART_WALL && fc_profile_waits(model->profile) != FC_WAITS_UNKNOWN
            ? find_by_cpu(context)
            : fc_findings_new(context);
    fc_json_begin_array(json, "findings");
    for (guint i = 0; i < findings->len; i++)
    {
        const FcFinding *finding = findings->pdata[i];
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "text", finding->text);
        fc_json_string(json, "reason", finding->reason);
        fc_json_string(json, "option", finding->option);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}
