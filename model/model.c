/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a model and what is asked of one; see model.h.
 */
#include "model/model.h"

static void input_free(gpointer data)
{
    FcInput *input = data;
    g_free(input->path);
    if (input->functions)
        g_array_unref(input->functions);
    if (input->mpi)
        g_array_unref(input->mpi);
    fc_profile_free(input->header);
    g_free(input);
}

FcModel *fc_model_new(void)
{
    FcModel *model = g_new0(FcModel, 1);
    model->base = FC_NONE;
    model->operands = g_ptr_array_new_with_free_func(g_free);
    model->inputs = g_ptr_array_new_with_free_func(input_free);
    return model;
}

static void function_clear(gpointer data)
{
    FcFunction *function = data;
    fc_histogram_clear(&function->figures.histogram);
    g_free(function->figures.off);
}

GArray *fc_model_functions_new(guint count)
{
    GArray *functions = g_array_sized_new(FALSE, TRUE, sizeof(FcFunction), count);
    g_array_set_clear_func(functions, function_clear);
    return functions;
}

void fc_model_free(FcModel *model)
{
    if (!model)
        return;
    fc_profile_free(model->profile);
    g_ptr_array_unref(model->operands);
    g_ptr_array_unref(model->inputs);
    if (model->symbols)
        fc_symbols_free(model->symbols);
    if (model->functions)
        g_array_unref(model->functions);
    g_free(model->function_of);
    g_free(model->first_copy);
    g_free(model->sites);
    g_free(model->inlined);
    if (model->via)
        g_ptr_array_unref(model->via);
    if (model->via_hex)
        g_ptr_array_unref(model->via_hex);
    fc_callgraph_free(model->graph);
    g_free(model);
}

void fc_model_add_input(FcModel *model, const char *path, const FcProfile *profile)
{
    FcInput *input = g_new0(FcInput, 1);
    input->path = g_strdup(path);
    input->header = fc_profile_new();
    input->threads = profile->threads->len;
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        input->local_ns += function->times.local_ns;
        input->local_cost_ns += function->times.local_cost_ns;
        input->local_wait_ns += function->times.local_wait_ns;
        input->calls += function->calls;
        input->estimated |= function->counted > function->timed || function->total_error_ns > 0 ||
                            function->local_error_ns > 0;
    }
    fc_profile_copy_header(input->header, profile);
    g_ptr_array_add(model->inputs, input);
}

void fc_model_set_base(FcModel *model, guint function)
{
    model->base = (gint)function;
    model->base_ns = fc_model_function(model, function)->figures.times.total_ns;
}

int fc_model_compare_local(gconstpointer a, gconstpointer b, gpointer model)
{
    const guint64 x = fc_model_function(model, *(const guint *)a)->figures.times.local_ns;
    const guint64 y = fc_model_function(model, *(const guint *)b)->figures.times.local_ns;
    return (x < y) - (x > y);
}

int fc_model_compare_total(gconstpointer a, gconstpointer b, gpointer model)
{
    const guint64 x = fc_model_function(model, *(const guint *)a)->figures.times.total_ns;
    const guint64 y = fc_model_function(model, *(const guint *)b)->figures.times.total_ns;
    return (x < y) - (x > y);
}

guint64 fc_model_arc_wait_ns(const FcModel *model, const FcArc *arc)
{
    guint64 wait_ns = 0;
    for (guint i = 0; i < arc->site_count; i++)
        wait_ns += g_array_index(model->profile->arcs, FcProfileArc, arc->sites[i].tag)
                       .times.total_wait_ns;
    return MIN(wait_ns, fc_model_function(model, arc->callee)->figures.times.total_wait_ns);
}

char *fc_model_symbol_key(const FcModel *model, const FcProfileLocation *location, guint64 start)
{
    if (location->module == FC_NONE)
        return g_strdup_printf(":%" G_GINT64_MODIFIER "x", start);
    const FcProfileModule *module =
        &g_array_index(model->profile->modules, FcProfileModule, location->module);
    return g_strdup_printf("%s:%" G_GINT64_MODIFIER "x",
                           module->build_id ? module->build_id : module->path, start);
}

gboolean fc_model_is_same_module(const FcModel *model, gint a, gint b)
{
    if (a == b || a == FC_NONE || b == FC_NONE)
        return a == b;
    const FcProfileModule *x = &g_array_index(model->profile->modules, FcProfileModule, a);
    const FcProfileModule *y = &g_array_index(model->profile->modules, FcProfileModule, b);
    if (x->build_id || y->build_id)
        return g_strcmp0(x->build_id, y->build_id) == 0;
    return g_strcmp0(x->path, y->path) == 0;
}

/* Makes the addresses of the unprofiled functions that calls went through.  In a module without
 * symbols, such a function keeps the name of the module. */
static void make_via_addresses(FcModel *model)
{
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    model->via_hex = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < model->via->len; i++)
        g_ptr_array_add(model->via_hex, g_strdup(model->via->pdata[i]));
    for (guint i = 0; i < count; i++)
    {
        guint tag = arcs[i].sites[0].tag;
        const FcProfileLocation *site =
            &g_array_index(model->profile->arcs, FcProfileArc, tag).site;
        if (arcs[i].via == 0 || !model->sites[tag].raw_name)
            continue;
        g_free(model->via_hex->pdata[arcs[i].via]);
        model->via_hex->pdata[arcs[i].via] = g_strdup_printf(
            "0x%" G_GINT64_MODIFIER "x", site->address - (site->offset - model->sites[tag].start));
    }
}

const char *fc_model_via(const FcModel *model, guint via)
{
    return (model->via_hex ? model->via_hex : model->via)->pdata[via];
}

void fc_model_use_addresses(FcModel *model)
{
    make_via_addresses(model);
    for (guint i = 0; i < model->functions->len; i++)
    {
        FcFunction *function = &g_array_index(model->functions, FcFunction, i);
        g_autofree char *address =
            g_strdup_printf("0x%" G_GINT64_MODIFIER "x", function->figures.location.address);
        function->name = function->label = g_intern_string(address);
    }
}
