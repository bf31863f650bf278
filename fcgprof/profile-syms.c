/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One table of symbols out of all modules that have profiled functions.  See profile.h.  Names
 * of profiled functions are those that fcdump shows; the rest comes from the images.
 */
#include "fcgprof/profile.h"

#include "fcgprof/model.h"
#include "fcgprof/object.h"
#include "fcgprof/reports.h"
#include <string.h>

enum
{
    MODULES_MAX = 0xffff
};

static const FcProfileModule *module_at(const FcGProfile *profile, guint index)
{
    return &g_array_index(fc_gprofile_data(profile)->modules, FcProfileModule, index);
}

guint64 fc_gprofile_addr(const FcGProfile *profile, const FcProfileLocation *place)
{
    guint index =
        place->module == FC_NONE ? fc_gprofile_data(profile)->modules->len : (guint)place->module;

    return fc_gmodule_base(profile->numbers[index]) | (place->offset & FC_GMODULE_MASK);
}

/* ---- Modules ------------------------------------------------------------------------- */

static guint number_module(FcGProfile *profile, GHashTable *known, guint index)
{
    const FcProfileModule *module = module_at(profile, index);
    char *key = module->build_id ? module->build_id : module->path;
    gpointer number = g_hash_table_lookup(known, key);
    FcGModule own = {.index = (gint)index};

    if (!number)
    {
        g_array_append_val(profile->modules, own);
        number = GUINT_TO_POINTER(profile->modules->len);
        g_hash_table_insert(known, key, number);
    }
    return GPOINTER_TO_UINT(number) - 1;
}

/* The program itself is number 0, then follow those that have a function in the profile, then
 * the others.  A library that was loaded twice has one number. */
static gboolean number_modules(FcGProfile *profile, GError **error)
{
    const FcProfile *data = fc_gprofile_data(profile);
    guint n = data->modules->len;
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    FcGModule none = {.index = FC_NONE};

    profile->modules = g_array_new(FALSE, TRUE, sizeof(FcGModule));
    profile->numbers = g_new0(guint, n + 1);
    for (guint i = 0; i < n; i++)
    {
        if (g_strcmp0(module_at(profile, i)->path, data->executable) == 0)
            number_module(profile, known, i);
    }
    for (guint i = 0; i < n; i++)
        profile->numbers[i] = number_module(profile, known, i);
    profile->numbers[n] = profile->modules->len;
    g_array_append_val(profile->modules, none);
    if (profile->modules->len <= MODULES_MAX)
        return TRUE;
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "more than %d modules", MODULES_MAX);
    return FALSE;
}

/* ---- Symbols of images ------------------------------------------------------------------ */

/* The hooks that fc-config's flags link into a module are no part of the program. */
static gboolean is_hook(const char *name)
{
    return g_strcmp0(name, "__cyg_profile_func_enter") == 0 ||
           g_strcmp0(name, "__cyg_profile_func_exit") == 0;
}

/* Makes the model's table that of an image, and adds it to `syms`.  The list of -S is the
 * program's. */
static gboolean load_image(FcGProfile *profile, guint number, FcGObject *object, GArray *syms,
                           GError **error)
{
    guint64 base = fc_gmodule_base(number);
    FcGModel *model = profile->model;

    if (!fc_gmodel_load_symbols(model, object, number == 0 ? model->options->symbol_file : NULL,
                                error))
        return FALSE;
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym sym = model->symtab.syms[i];

        if (sym.addr > FC_GMODULE_MASK || sym.addr > sym.end_addr || is_hook(sym.name))
            continue;
        sym.addr |= base;
        sym.end_addr = base | MIN(sym.end_addr, FC_GMODULE_MASK);
        g_array_append_val(syms, sym);
    }
    /* Before the table of all is made, which is as large. */
    model->symtab.len = 0;
    g_clear_pointer(&model->symtab.syms, g_free);
    return TRUE;
}

/* What the image of a module has, or else its debug file.  Only what the user asked for can
 * be an error. */
static gboolean add_image(FcGProfile *profile, guint index, GArray *syms, GError **error)
{
    const FcGOptions *options = profile->model->options;
    const FcProfile *data = fc_gprofile_data(profile);
    FcSymbols *symbols = profile->loaded->symbols;
    const char *path = fc_symbols_image_path(symbols, data, index);
    guint number = profile->numbers[index];
    FcGModule *module = fc_gprofile_module(profile, number);
    g_autoptr(FcGObject) debug = NULL;
    g_autoptr(GError) reason = NULL;

    module->object = path ? fc_gobject_open(path, NULL) : NULL;
    if (!module->object || load_image(profile, number, module->object, syms, &reason))
        return TRUE;
    path = fc_symbols_debug_path(symbols, data, index);
    debug = path ? fc_gobject_open(path, NULL) : NULL;
    if (debug && load_image(profile, number, debug, syms, NULL))
        return TRUE;
    if (!options->symbol_file && !options->map_file)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
}

static gboolean add_images(FcGProfile *profile, GArray *syms, GError **error)
{
    const FcProfile *data = fc_gprofile_data(profile);
    g_autofree gboolean *is_needed = g_new0(gboolean, profile->modules->len);

    for (guint i = 0; i < data->functions->len; i++)
    {
        gint module = g_array_index(data->functions, FcProfileFunction, i).location.module;

        if (module != FC_NONE)
            is_needed[profile->numbers[module]] = TRUE;
    }
    for (guint i = 0; i < data->modules->len; i++)
    {
        guint number = profile->numbers[i];

        if (!is_needed[number])
            continue;
        is_needed[number] = FALSE;
        if (!add_image(profile, i, syms, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- Functions of the profile ----------------------------------------------------------- */

/* Whether options make other symbols stand for functions that have one. */
static gboolean is_covered_by_other(const FcGModel *model, const FcFunction *function)
{
    return model->order_map || model->options->symbol_file ||
           (model->options->no_statics && function->symbol.is_static);
}

static guint64 function_addr(const FcGProfile *profile, const FcFunction *function)
{
    FcProfileLocation place = function->figures.location;

    place.offset = function->symbol.start;
    return fc_gprofile_addr(profile, &place);
}

/* The function's symbol in the table that the images gave, or NULL. */
static FcGSym *find_symbol(const FcGProfile *profile, const FcFunction *function)
{
    const FcGModel *model = profile->model;
    guint64 addr = function_addr(profile, function);
    FcGSym *sym = fc_gsymtab_find(&model->symtab, addr);

    if (sym && sym->addr != addr)
    {
        if (!is_covered_by_other(model, function))
            return NULL;
        while (sym > model->symtab.syms && !sym->is_func)
            sym--;
        if (sym->addr >> FC_GMODULE_SHIFT != addr >> FC_GMODULE_SHIFT)
            return NULL;
    }
    return sym;
}

static void add_function(FcGProfile *profile, const FcFunction *function, GArray *syms)
{
    FcGModel *model = profile->model;
    const char *raw = function->symbol.raw_name;
    FcSymbol symbol;
    FcGSym sym;

    fc_symbols_find(profile->loaded->symbols, fc_gprofile_data(profile),
                    &function->figures.location, FALSE, &symbol);
    fc_gsym_init(&sym);
    sym.addr = function_addr(profile, function);
    sym.end_addr = sym.addr | FC_GMODULE_MASK;
    sym.name = fc_gmodel_strdup(model, raw ? raw : function->symbol.name);
    sym.file = symbol.file ? fc_gmodel_file(model, symbol.file) : NULL;
    sym.line = (int)symbol.line;
    sym.is_func = TRUE;
    sym.is_static = symbol.is_static != FALSE;
    g_array_append_val(syms, sym);
}

/* Adds what the images do not have: stripped ones, or none. */
static void add_functions(FcGProfile *profile, GArray *syms)
{
    const GArray *functions = profile->loaded->functions;
    guint n_before = syms->len;

    fc_gsymtab_build(profile->model, (FcGSym *)(void *)syms->data, syms->len, G_MAXUINT64);
    for (guint i = 0; i < functions->len; i++)
    {
        const FcFunction *function = &g_array_index(functions, FcFunction, i);

        if (!find_symbol(profile, function))
            add_function(profile, function, syms);
    }
    if (syms->len > n_before)
        fc_gsymtab_build(profile->model, (FcGSym *)(void *)syms->data, syms->len, G_MAXUINT64);
}

static void resolve_functions(FcGProfile *profile)
{
    const FcModel *loaded = profile->loaded;
    FcGModel *model = profile->model;

    profile->syms = g_new0(FcGSym *, loaded->profile->functions->len + 1);
    for (guint i = 0; i < loaded->profile->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(loaded, loaded->function_of[i]);
        const char *raw = function->symbol.raw_name;
        FcGSym *sym = find_symbol(profile, function);

        profile->syms[i] = sym;
        if (!sym)
            continue;
        sym->is_func = TRUE;
        if (raw && !is_covered_by_other(model, function) && strcmp(sym->name, raw) != 0)
            sym->name = fc_gmodel_strdup(model, raw);
    }
}

/* Lines belong to the function before them. */
static void find_owners(FcGModel *model)
{
    FcGSym *owner = NULL;

    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (sym->is_func)
            owner = sym;
        else if (owner && sym->addr <= owner->end_addr)
            sym->owner = owner;
    }
}

gboolean fc_gprofile_load_symbols(FcGProfile *profile, GError **error)
{
    FcGModel *model = profile->model;

    if (!number_modules(profile, error))
        return FALSE;
    GArray *syms = g_array_new(FALSE, FALSE, sizeof(FcGSym));
    gboolean is_good = add_images(profile, syms, error);
    if (is_good)
    {
        add_functions(profile, syms);
        resolve_functions(profile);
        if (model->options->by_line)
            find_owners(model);
    }
    g_array_free(syms, TRUE);
    return is_good;
}
