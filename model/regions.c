/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See regions.h.
 */
#include "model/regions.h"

#include <string.h>

#define GCC_MARK "._omp_fn."
#define CLANG_MARK ".omp_outlined"
#define CLANG_TASK ".omp_task_entry."

const char *fc_regions_find_mark(const char *name)
{
    const char *mark = name ? strstr(name, GCC_MARK) : NULL;
    if (!mark && name)
        mark = strstr(name, CLANG_MARK);
    return mark ? mark : name && g_str_has_prefix(name, CLANG_TASK) ? name : NULL;
}

gboolean fc_regions_is_runtime(const FcProfile *profile, const FcProfileFunction *function)
{
    static const char *const names[] = {"libgomp.so", "libomp.so", "libiomp5.so"};
    if (function->location.module == FC_NONE)
        return FALSE;
    const char *path =
        g_array_index(profile->modules, FcProfileModule, function->location.module).path;
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    for (guint i = 0; name && i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(name, names[i]))
            return TRUE;
    return FALSE;
}

/* ---- Names ------------------------------------------------------------------------------- */

static const FcProfileContext *context_at(const FcModel *model, gint index)
{
    return &g_array_index(model->profile->contexts, FcProfileContext, index);
}

static FcFunction *function_of(const FcModel *model, const FcProfileContext *context)
{
    return &g_array_index(model->functions, FcFunction, model->function_of[context->function]);
}

static gboolean is_runtime(const FcModel *model, const FcFunction *function)
{
    return fc_regions_is_runtime(model->profile, &function->figures);
}

/* Whether the function starts a parallel region, in which its caller takes part. */
static gboolean begins_region(const FcFunction *function)
{
    return g_str_has_prefix(function->symbol.name, "GOMP_parallel") ||
           g_str_has_prefix(function->symbol.name, "__kmpc_fork");
}

/* Whether the caller of the context's function is the code that clang generates for a task. */
static gboolean is_called_by_task(const FcModel *model, const FcProfileContext *context)
{
    FcSymbol symbol;
    fc_symbols_find_name(model->symbols, model->profile, &context->site, TRUE, &symbol);
    return symbol.raw_name && g_str_has_prefix(symbol.raw_name, CLANG_TASK);
}

/* Tells parallel regions from tasks.  Both compilers name them alike, except for clang's entry of a
 * task.  The thread that begins a parallel region calls its code only from the function that starts
 * it.  A task is called wherever a thread waits, or in the region. */
static FcRegion kind_of(const FcModel *model, const FcProfileContext *context)
{
    const FcFunction *own = function_of(model, context);
    const FcFunction *caller =
        context->parent != FC_NONE ? function_of(model, context_at(model, context->parent)) : NULL;
    if (g_str_has_prefix(own->symbol.raw_name, CLANG_TASK) || is_called_by_task(model, context))
        return FC_REGION_TASK;
    if (!caller)
        return FC_REGION_UNKNOWN;
    if (strstr(own->symbol.raw_name, CLANG_MARK) &&
        fc_regions_find_mark(caller->symbol.raw_name)) /* two functions of one region */
        return FC_REGION_UNKNOWN;
    return begins_region(caller) ? FC_REGION_PARALLEL : FC_REGION_TASK;
}

/* Returns the name of the function that makes the call at `site`: the innermost that was inlined
 * there, else `caller`. */
static const char *name_at(const FcModel *model, const FcProfileLocation *site,
                           const FcFunction *caller)
{
    g_autoptr(GArray) chain = fc_symbols_find_chain(model->symbols, model->profile, site);
    return chain && chain->len > 0 ? g_array_index(chain, FcInlinedCall, 0).name
                                   : caller->symbol.name;
}

/* Returns the name of the function that has the region, from the path of the thread that began it.
 * NULL: not known. */
static const char *find_owner(const FcModel *model, const FcProfileContext *context)
{
    const FcProfileContext *below = context;
    for (gint at = context->parent; at != FC_NONE; at = below->parent)
    {
        const FcProfileContext *above = context_at(model, at);
        const FcFunction *function = function_of(model, above);
        if (!is_runtime(model, function) && !fc_regions_find_mark(function->symbol.raw_name))
            return name_at(model, &below->site, function);
        below = above;
    }
    return NULL;
}

void fc_regions_name(FcModel *model)
{
    for (guint i = 0; i < model->profile->contexts->len; i++)
    {
        const FcProfileContext *context = context_at(model, (gint)i);
        FcFunction *function = function_of(model, context);
        const char *mark = fc_regions_find_mark(function->symbol.raw_name);
        if (!mark)
            continue;
        function->region = MAX(function->region, kind_of(model, context));
        if (mark != function->symbol.raw_name) /* gcc's names begin with the owner's */
            function->region_owner = function->symbol.name;
        else if (!function->region_owner)
            function->region_owner = find_owner(model, context);
    }
}

/* ---- Waiting ----------------------------------------------------------------------------- */

static guint64 own_ns(const FcFunction *function)
{
    const FcProfileTimes *times = &function->figures.times;
    return times->local_ns + times->local_wait_ns;
}

FcRegionsWait fc_regions_find_wait(const FcModel *model)
{
    FcRegionsWait wait = {FC_NONE, 0};
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (!is_runtime(model, function))
            continue;
        wait.wait_ns += own_ns(function);
        if (own_ns(function) > 0 &&
            (wait.function == FC_NONE ||
             own_ns(function) > own_ns(fc_model_function(model, (guint)wait.function))))
            wait.function = (gint)i;
    }
    return wait;
}
