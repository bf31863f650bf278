/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the profile's arcs to call sites of the graph; see callsites.h.
 *
 * A hook is given the return address of the machine frame it runs in.  A function that was
 * inlined has no frame of its own: it runs in that of the function it was inlined into, so its
 * recorded call site is the location from which that function was called.  Such an arc is known by
 * this: its caller was itself called from the very same site.
 */
#include "model/callsites.h"

#include <string.h>

#include "profile/path.h"

#define SEVERAL G_MAXUINT

typedef struct
{
    FcModel *model;
    GHashTable *keys;     /* symbol keys of the profiled functions */
    GHashTable *incoming; /* "function site" -> caller + 2, or SEVERAL */
    GHashTable *numbers;  /* name of an unprofiled function -> its `via` number */
} Resolver;

static const FcProfileArc *arc_at(const FcModel *model, guint index)
{
    return &g_array_index(model->profile->arcs, FcProfileArc, index);
}

static gint caller_of(const FcModel *model, const FcProfileArc *arc)
{
    return arc->caller == FC_NONE ? FC_NONE : (gint)model->function_of[arc->caller];
}

/* ---- Inlined callees ------------------------------------------------------------ */

static char *incoming_key(guint function, const FcProfileLocation *site)
{
    return g_strdup_printf("%u %d %" G_GINT64_MODIFIER "x", function, site->module, site->offset);
}

static void collect_incoming(Resolver *resolver)
{
    const FcModel *model = resolver->model;
    for (guint i = 0; i < model->profile->arcs->len; i++)
    {
        const FcProfileArc *arc = arc_at(model, i);
        char *key = incoming_key(model->function_of[arc->callee], &arc->site);
        guint caller = (guint)(caller_of(model, arc) + 2);
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(resolver->incoming, key));
        if (known != 0 && known != caller)
            caller = SEVERAL;
        g_hash_table_replace(resolver->incoming, key, GUINT_TO_POINTER(caller));
    }
}

/* Whether anything but `function` itself called it from that site. */
static gboolean is_incoming(const Resolver *resolver, guint function, const FcProfileLocation *site)
{
    g_autofree char *key = incoming_key(function, site);
    guint caller = GPOINTER_TO_UINT(g_hash_table_lookup(resolver->incoming, key));
    return caller != 0 && caller != function + 2;
}

static guint64 pair_key(gint caller, guint callee)
{
    return (guint64)(guint)caller << 32 | callee;
}

/* Recursion: if the only caller from a site is the function itself, is_incoming can't tell whether
 * a callee with that site was inlined.  It was if other arcs of the same caller and callee are
 * inlined. */
static void mark_recursive(const Resolver *resolver)
{
    const FcModel *model = resolver->model;
    g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < model->profile->arcs->len; i++)
    {
        const FcProfileArc *arc = arc_at(model, i);
        guint64 key = pair_key(caller_of(model, arc), model->function_of[arc->callee]);
        if (model->inlined[i])
            g_hash_table_add(pairs, g_memdup2(&key, sizeof key));
    }
    for (guint i = 0; i < model->profile->arcs->len; i++)
    {
        const FcProfileArc *arc = arc_at(model, i);
        gint caller = caller_of(model, arc);
        guint callee = model->function_of[arc->callee];
        guint64 key = pair_key(caller, callee);
        if (caller == FC_NONE || (guint)caller == callee || !g_hash_table_contains(pairs, &key))
            continue;
        g_autofree char *own = incoming_key((guint)caller, &arc->site);
        if (GPOINTER_TO_UINT(g_hash_table_lookup(resolver->incoming, own)) == (guint)caller + 2)
            model->inlined[i] = TRUE;
    }
}

/* ---- Calls by way of unprofiled functions ------------------------------------------ */

/* GCC splits cold or cloned parts off a function: name.cold, name.part.0. */
static gboolean is_part_of(const char *name, const char *whole)
{
    gsize length = whole ? strlen(whole) : 0;
    return name && length > 0 && strncmp(name, whole, length) == 0 &&
           (name[length] == '.' || name[length] == '\0');
}

static const char *module_name(const FcModel *model, gint module)
{
    return fc_base_name(g_array_index(model->profile->modules, FcProfileModule, module).path);
}

/* The name of the unprofiled function that made the call; NULL: the caller itself made it, or that
 * is not known. */
static const char *find_via(const Resolver *resolver, guint index)
{
    const FcModel *model = resolver->model;
    const FcProfileArc *arc = arc_at(model, index);
    const FcSymbol *symbol = &model->sites[index];
    gint caller = caller_of(model, arc);
    const FcProfileLocation *entry = NULL;
    if (caller != FC_NONE)
    {
        const FcFunction *function = fc_model_function(model, (guint)caller);
        entry = &function->figures.location;
        if (entry->module == arc->site.module &&
            is_part_of(symbol->raw_name, function->symbol.raw_name))
            return NULL;
        if (fc_symbols_is_inlined(model->symbols, model->profile, &arc->site, entry))
            return NULL;
        model->inlined[index] = is_incoming(resolver, (guint)caller, &arc->site);
        if (model->inlined[index])
            return NULL;
    }
    if (symbol->raw_name)
    {
        /* The site lies in another profiled function, so no unprofiled function was in between.
         * The caller was inlined there, even if the debug information does not say so. */
        g_autofree char *key = fc_model_symbol_key(model, &arc->site, symbol->start);
        return caller != FC_NONE && g_hash_table_contains(resolver->keys, key) ? NULL
                                                                               : symbol->name;
    }
    if (arc->site.module == FC_NONE || (entry && entry->module == arc->site.module))
        return NULL;
    return module_name(model, arc->site.module);
}

static guint via_number(Resolver *resolver, const char *name)
{
    if (!name)
        return 0;
    GPtrArray *via = resolver->model->via;
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(resolver->numbers, name));
    if (number == 0)
    {
        number = via->len;
        g_ptr_array_add(via, g_strdup(name));
        g_hash_table_insert(resolver->numbers, via->pdata[number], GUINT_TO_POINTER(number));
    }
    return number;
}

/* ---- All of them ------------------------------------------------------------------- */

FcCallSite *fc_callsites_resolve(FcModel *model, GHashTable *keys)
{
    guint count = model->profile->arcs->len;
    FcCallSite *sites = g_new0(FcCallSite, count + 1);
    g_autoptr(GHashTable) incoming = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
    Resolver resolver = {.model = model, .keys = keys, .incoming = incoming, .numbers = numbers};
    model->via = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(model->via, NULL);
    model->sites = g_new0(FcSymbol, count + 1);
    model->inlined = g_new0(gboolean, count + 1);
    collect_incoming(&resolver);
    for (guint i = 0; i < count; i++)
    {
        const FcProfileArc *arc = arc_at(model, i);
        fc_symbols_find_name(model->symbols, model->profile, &arc->site, TRUE, &model->sites[i]);
        sites[i] = (FcCallSite){.caller = caller_of(model, arc),
                                .callee = model->function_of[arc->callee],
                                .via = via_number(&resolver, find_via(&resolver, i)),
                                .tag = i,
                                .calls = arc->calls,
                                .total_ns = arc->times.total_ns};
    }
    mark_recursive(&resolver);
    return sites;
}
