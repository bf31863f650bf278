/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: calls that are in the code of the modules, so that those which the run never made
 * appear with a count of 0.  See profile.h.
 */
#include "fcgprof/profile.h"

#include "fcgprof/static-calls.h"
#include <string.h>

static const char COLD[] = ".cold";

typedef struct
{
    FcGProfile *profile;
    GHashTable *exports; /* name -> FcGSym that other modules mean by it */
    FcGObject *object;
    GHashTable *stubs; /* of the object; which functions of other modules they lead to */
    GHashTable *pointers;
    gint module;     /* of the profile */
    guint64 base;    /* of the image's addresses in the model */
    FcGSym *caller;  /* whose code is looked at */
    GHashTable *own; /* name -> FcGSym of the module; NULL for several */
} Scan;

/* As the dynamic linker does: the first module that has the name. */
static GHashTable *list_exports(const FcGModel *model)
{
    GHashTable *exports = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (!sym->is_func || sym->is_static)
            continue;
        char *name = g_strndup(sym->name, strcspn(sym->name, "@"));
        if (g_hash_table_contains(exports, name))
            g_free(name);
        else
            g_hash_table_insert(exports, name, sym);
    }
    return exports;
}

/* `links` are the object's stubs or pointers. */
static FcGSym *find_linked(const Scan *scan, GHashTable *links, guint64 addr)
{
    const char *name = g_hash_table_lookup(links, &addr);

    return name ? g_hash_table_lookup(scan->exports, name) : NULL;
}

/* The function that begins at the target, or that a stub there jumps to; or NULL. */
static FcGSym *find_target(const Scan *scan, const FcGCall *call)
{
    if (call->is_pointer)
        return find_linked(scan, scan->pointers, call->target);
    if (call->target > FC_GMODULE_MASK)
        return NULL;
    FcGSym *sym = fc_gsymtab_find(&scan->profile->model->symtab, scan->base | call->target);
    if (sym && sym->addr == (scan->base | call->target) && sym->is_func)
        return sym;
    return find_linked(scan, scan->stubs, call->target);
}

/* The function whose code the site is: what is seldom done by one may stand behind another, as a
 * symbol like "work.cold" which gprof has not.  NULL if that can't be known. */
static FcGSym *find_caller(const Scan *scan, guint64 site)
{
    const FcGOptions *options = scan->profile->model->options;
    FcProfileLocation place = {.module = scan->module, .offset = site};
    FcSymbol symbol;

    if (options->no_statics || options->symbol_file || options->map_file)
        return scan->caller;
    fc_symbols_find_name(scan->profile->loaded->symbols, fc_gprofile_data(scan->profile), &place,
                         TRUE, &symbol);
    const char *cold = symbol.raw_name ? strstr(symbol.raw_name, COLD) : NULL;
    if (!cold || symbol.start == (scan->caller->addr & FC_GMODULE_MASK))
        return scan->caller;
    g_autofree char *name = g_strndup(symbol.raw_name, (gsize)(cold - symbol.raw_name));
    return g_hash_table_lookup(scan->own, name);
}

static void add_call(const Scan *scan, const FcGCall *call)
{
    FcGSym *callee = call->is_jump ? NULL : find_target(scan, call);
    FcGSym *caller = callee ? find_caller(scan, call->site) : NULL;

    if (caller)
        fc_gprofile_add_call(scan->profile, scan->base | call->site, caller, callee, 0, FALSE);
}

static void scan_function(Scan *scan, FcGSym *sym, guint64 end)
{
    FcGCode code = {.machine = fc_gobject_machine(scan->object),
                    .addr = sym->addr & FC_GMODULE_MASK};
    FcGCall call;

    scan->caller = sym;
    code.bytes = fc_gobject_code_at(scan->object, code.addr, &code.n);
    if (!code.bytes)
        return;
    code.n = MIN(code.n, end - code.addr);
    while (fc_gcode_next_call(&code, &call))
        add_call(scan, &call);
}

/* The module whose symbols are [first, behind). */
static void scan_module(Scan *scan, FcGSym *first, const FcGSym *behind)
{
    FcGSym *next;

    scan->own = g_hash_table_new(g_str_hash, g_str_equal);
    for (FcGSym *sym = first; sym < behind; sym++)
    {
        if (sym->is_func)
            g_hash_table_insert(scan->own, (gpointer)sym->name,
                                g_hash_table_contains(scan->own, sym->name) ? NULL : sym);
    }
    for (FcGSym *sym = first; sym < behind; sym = next)
    {
        for (next = sym + 1; next < behind && !next->is_func;)
            next++;
        if (sym->is_func)
            scan_function(scan, sym,
                          next < behind ? next->addr & FC_GMODULE_MASK : FC_GMODULE_MASK);
    }
    g_hash_table_unref(scan->own);
}

void fc_gprofile_add_static_calls(FcGProfile *profile)
{
    const FcGSymtab *symtab = &profile->model->symtab;
    Scan scan = {.profile = profile, .exports = list_exports(profile->model)};

    for (guint i = 0, next; i < symtab->len; i = next)
    {
        guint number = (guint)(symtab->starts[i] >> FC_GMODULE_SHIFT);
        const FcGModule *module = fc_gprofile_module(profile, number);

        for (next = i + 1;
             next < symtab->len && symtab->starts[next] >> FC_GMODULE_SHIFT == number;)
            next++;
        if (!module->object || !fc_gcode_is_known(fc_gobject_machine(module->object)))
            continue;
        scan.object = module->object;
        scan.module = module->index;
        scan.base = fc_gmodule_base(number);
        scan.stubs = fc_gobject_stubs(scan.object);
        scan.pointers = fc_gobject_pointers(scan.object);
        scan_module(&scan, &symtab->syms[i], &symtab->syms[next]);
        g_hash_table_unref(scan.stubs);
        g_hash_table_unref(scan.pointers);
    }
    g_hash_table_unref(scan.exports);
}
