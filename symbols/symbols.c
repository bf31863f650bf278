/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a location to its name and line, in the file that files.c finds for its module.  Called by
 * model/ and the reports.
 */
#include "symbols/symbols.h"

#include <string.h>

#include "profile/path.h"
#include "symbols/files.h"

struct FcSymbols
{
    FcDemangle demangle;
    FcFiles files;
    GStringChunk *strings; /* every string handed out */
};

FcSymbols *fc_symbols_new(FcDemangle demangle, const char *const *image_paths)
{
    FcSymbols *symbols = g_new0(FcSymbols, 1);

    symbols->demangle = demangle;
    symbols->strings = g_string_chunk_new(16384);
    fc_files_init(&symbols->files, image_paths);
    return symbols;
}

void fc_symbols_free(FcSymbols *symbols)
{
    if (!symbols)
        return;
    fc_files_clear(&symbols->files);
    g_string_chunk_free(symbols->strings);
    g_free(symbols);
}

void fc_symbols_check_images(FcSymbols *symbols, const FcProfile *profile)
{
    fc_files_check_replacements(&symbols->files, profile);
}

gint fc_symbols_find_module(FcSymbols *symbols, const FcProfile *profile, const char *image_path)
{
    return fc_files_find_module(&symbols->files, profile, image_path);
}

void fc_symbols_set_debug_folders(FcSymbols *symbols, const char *folders)
{
    fc_files_set_debug_folders(&symbols->files, folders);
}

const GPtrArray *fc_symbols_warnings(const FcSymbols *symbols)
{
    return symbols->files.warnings;
}

static FcImage *find_image(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    return fc_files_find(&symbols->files, profile,
                         &g_array_index(profile->modules, FcProfileModule, module));
}

const char *fc_symbols_image_path(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    const FcImage *image = find_image(symbols, profile, module);

    return image ? image->path : NULL;
}

const char *fc_symbols_debug_path(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    FcImage *image = find_image(symbols, profile, module);
    const char *path = NULL;
    Dwarf_Addr bias;

    if (!image || !fc_image_load(image))
        return NULL;
    /* The file is looked for when it is needed. */
    dwfl_module_getdwarf(image->module, &bias);
    dwfl_module_info(image->module, NULL, NULL, NULL, NULL, NULL, NULL, &path);
    return path;
}

static const char *intern(FcSymbols *symbols, const char *text)
{
    return g_string_chunk_insert_const(symbols->strings, text);
}

static const char *name_location(FcSymbols *symbols, const FcProfileModule *module,
                                 const FcProfileLocation *location)
{
    const char *base = module && module->path ? fc_base_name(module->path) : "";
    g_autofree char *text = NULL;

    if (*base)
        text = g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", base, location->offset);
    else
        text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", location->address);
    return intern(symbols, text);
}

static void name_function(FcSymbols *symbols, FcImageFunction *function)
{
    g_autofree char *raw = NULL, *text = NULL;

    if (function->name)
        return;
    raw = g_strdup(function->raw);
    if (function->is_import)
        raw[strcspn(raw, "@")] = '\0';
    text = fc_demangle_name(raw, symbols->demangle);
    function->raw_name = intern(symbols, raw);
    function->name = intern(symbols, text);
}

/* The function that an import stands for, in whichever module has it; NULL: in none. */
static const FcImageFunction *find_imported(FcSymbols *symbols, const FcProfile *profile,
                                            const FcImageFunction *import, guint *found,
                                            FcImage **image)
{
    for (guint i = 0; i < profile->modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);
        g_autofree char *path = fc_files_resolve(profile, module->path ? module->path : "");

        /* No warning if a library is gone: its names were not asked for yet. */
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        *found = i;
        *image = fc_files_find(&symbols->files, profile, module);
        const FcImageFunction *function =
            *image ? fc_image_find_export(*image, import->raw_name) : NULL;
        if (function)
            return function;
    }
    return NULL;
}

static gboolean find_image_line(FcImage *image, guint64 address, gboolean is_entry,
                                const char **file, guint *line)
{
    if (!fc_image_find_line(image, address, is_entry, file, line))
        return FALSE;
    guint declared = is_entry ? fc_image_find_declaration(image, address, *file) : 0;
    if (declared > 0)
        *line = declared;
    return TRUE;
}

static gboolean find_import_line(FcSymbols *symbols, const FcProfile *profile,
                                 const FcImageFunction *import, const char **file, guint *line)
{
    FcImage *image;
    guint module;
    const FcImageFunction *function = find_imported(symbols, profile, import, &module, &image);

    return function && find_image_line(image, function->start, TRUE, file, line);
}

static void find_line(FcSymbols *symbols, const FcProfile *profile, FcImage *image,
                      const FcImageFunction *function, guint64 address, gboolean is_return,
                      FcSymbol *out)
{
    const char *file = NULL;
    guint line = 0;

    if (!(function && function->is_import
              ? find_import_line(symbols, profile, function, &file, &line)
              : find_image_line(image, address, !is_return, &file, &line)))
        return;
    out->file = intern(symbols, file);
    out->line = line;
}

static void find(FcSymbols *symbols, const FcProfile *profile, const FcProfileLocation *location,
                 gboolean is_return, gboolean wants_line, FcSymbol *out)
{
    /* The call of a function that does not return may be the last instruction of its caller. */
    guint64 address = location->offset - (is_return ? 1 : 0);
    const FcProfileModule *module = NULL;
    FcImageFunction *function = NULL;
    FcImage *image = NULL;

    memset(out, 0, sizeof *out);
    out->start = location->offset;
    if (location->module >= 0 && (guint)location->module < profile->modules->len)
    {
        module = &g_array_index(profile->modules, FcProfileModule, location->module);
        image = fc_files_find(&symbols->files, profile, module);
    }
    if (image)
        function = fc_image_find_function(image, address);
    if (function)
    {
        name_function(symbols, function);
        out->name = function->name;
        out->raw_name = function->raw_name;
        out->start = function->start;
        out->is_static = function->is_static;
    }
    else
    {
        g_autofree char *text = image ? fc_image_find_text(image, address) : NULL;
        out->name = text ? intern(symbols, text) : name_location(symbols, module, location);
    }
    if (wants_line && image)
        find_line(symbols, profile, image, function, address, is_return, out);
}

void fc_symbols_find(FcSymbols *symbols, const FcProfile *profile,
                     const FcProfileLocation *location, gboolean is_return, FcSymbol *out)
{
    find(symbols, profile, location, is_return, TRUE, out);
}

void fc_symbols_find_name(FcSymbols *symbols, const FcProfile *profile,
                          const FcProfileLocation *location, gboolean is_return, FcSymbol *out)
{
    find(symbols, profile, location, is_return, FALSE, out);
}

guint fc_symbols_find_last_line(FcSymbols *symbols, const FcProfile *profile,
                                const FcProfileLocation *entry)
{
    const char *file;
    guint line;

    if (entry->module < 0 || (guint)entry->module >= profile->modules->len)
        return 0;
    FcImage *image = find_image(symbols, profile, (guint)entry->module);
    return image && fc_image_find_line(image, entry->offset, TRUE, &file, &line)
               ? fc_image_find_last_line(image, entry->offset, file)
               : 0;
}

const char *fc_symbols_find_unit(FcSymbols *symbols, const FcProfile *profile,
                                 const FcProfileLocation *location, const char **folder)
{
    const char *name = NULL;
    const char *from = NULL;

    if (location->module >= 0 && (guint)location->module < profile->modules->len)
    {
        FcImage *image = find_image(symbols, profile, location->module);
        if (image)
            fc_image_find_unit(image, location->offset, &name, &from);
    }
    if (folder)
        *folder = from ? intern(symbols, from) : NULL;
    return name ? intern(symbols, name) : NULL;
}

gboolean fc_symbols_find_import(FcSymbols *symbols, const FcProfile *profile,
                                FcProfileLocation *location)
{
    guint found;

    if (location->module < 0 || (guint)location->module >= profile->modules->len)
        return FALSE;
    const FcProfileModule *module =
        &g_array_index(profile->modules, FcProfileModule, location->module);
    FcImage *image = fc_files_find(&symbols->files, profile, module);
    FcImageFunction *stub = image ? fc_image_find_function(image, location->offset) : NULL;
    if (!stub || !stub->is_import)
        return FALSE;
    name_function(symbols, stub);
    const FcImageFunction *function = find_imported(symbols, profile, stub, &found, &image);
    if (!function)
        return FALSE;
    location->module = (gint)found;
    location->offset = function->start;
    module = &g_array_index(profile->modules, FcProfileModule, found);
    location->address = module->base + location->offset;
    return TRUE;
}

gboolean fc_symbols_is_inlined(FcSymbols *symbols, const FcProfile *profile,
                               const FcProfileLocation *site, const FcProfileLocation *entry)
{
    if (site->module < 0 || (guint)site->module >= profile->modules->len ||
        site->module != entry->module)
        return FALSE;
    FcImage *image = find_image(symbols, profile, site->module);
    FcImageFunction *function = image ? fc_image_find_function(image, entry->offset) : NULL;
    return function && fc_image_is_inlined(image, site->offset - 1, entry->offset, function->raw);
}

gboolean fc_symbols_is_system_file(const char *file)
{
    return file && (g_str_has_prefix(file, "/usr/include/") || g_str_has_prefix(file, "/usr/lib/"));
}

GArray *fc_symbols_find_chain(FcSymbols *symbols, const FcProfile *profile,
                              const FcProfileLocation *site)
{
    GArray *chain = g_array_new(FALSE, FALSE, sizeof(FcInlinedCall));
    if (site->module < 0 || (guint)site->module >= profile->modules->len)
        return chain;
    FcImage *image = find_image(symbols, profile, (guint)site->module);
    if (image)
        fc_image_find_chain(image, site->offset - 1, chain);
    for (guint i = 0; i < chain->len; i++)
    {
        FcInlinedCall *call = &g_array_index(chain, FcInlinedCall, i);
        g_autofree char *name = fc_demangle_name(call->raw_name, symbols->demangle);
        call->name = intern(symbols, name);
        call->raw_name = intern(symbols, call->raw_name);
        call->file = call->file ? intern(symbols, call->file) : NULL;
    }
    return chain;
}

const char *fc_symbols_find_other_name(FcSymbols *symbols, const FcProfile *profile,
                                       const FcProfileLocation *entry)
{
    if (entry->module < 0 || (guint)entry->module >= profile->modules->len)
        return NULL;
    FcImage *image = find_image(symbols, profile, (guint)entry->module);
    const FcImageFunction *function = image ? fc_image_find_function(image, entry->offset) : NULL;
    if (!function || function->start != entry->offset || !function->other_raw)
        return NULL;
    g_autofree char *name = fc_demangle_name(function->raw, symbols->demangle);
    g_autofree char *other = fc_demangle_name(function->other_raw, symbols->demangle);
    /* a constructor has several linkage names */
    return g_strcmp0(name, other) == 0 ? NULL
                                       : intern(symbols, other ? other : function->other_raw);
}

GArray *fc_symbols_list_inlined(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    FcImage *image = find_image(symbols, profile, module);
    g_autoptr(GArray) all = image ? fc_image_list_inlined(image) : NULL;
    if (!all)
        return NULL;
    GArray *result = g_array_new(FALSE, FALSE, sizeof(FcInlined));
    for (guint i = 0; i < all->len; i++)
    {
        FcInlined inlined = g_array_index(all, FcInlined, i);
        if (fc_symbols_is_system_file(inlined.file))
            continue;
        g_autofree char *name = fc_demangle_name(inlined.name, symbols->demangle);
        inlined.name = intern(symbols, name);
        inlined.file = inlined.file ? intern(symbols, inlined.file) : NULL;
        g_array_append_val(result, inlined);
    }
    return result;
}

gboolean fc_symbols_is_after_inlining(FcSymbols *symbols, const FcProfile *profile,
                                      const FcProfileLocation *entry)
{
    if (entry->module < 0 || (guint)entry->module >= profile->modules->len)
        return FALSE;
    FcImage *image = find_image(symbols, profile, (guint)entry->module);
    return image && fc_image_calls_at_entry(image, entry->offset);
}

void fc_symbols_find_producer(FcSymbols *symbols, const FcProfile *profile,
                              const FcProfileLocation *location, FcProducer *producer)
{
    FcImage *image = location->module >= 0 && (guint)location->module < profile->modules->len
                         ? find_image(symbols, profile, (guint)location->module)
                         : NULL;
    *producer = (FcProducer){0};
    if (image)
        fc_image_find_producer(image, location->offset, producer);
}

gboolean fc_symbols_lost_hooks(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    FcImage *image = find_image(symbols, profile, module);
    return image && fc_image_lost_hooks(image);
}
