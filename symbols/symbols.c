/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a module of a profile to the file that holds its names now, and from a place to
 * its name and line.  Called by model/ and the reports.  What must never happen: names from a file
 * that is not the one that ran.
 */
#include "symbols/symbols.h"

#include <string.h>

#include "profile/path.h"
#include "symbols/image.h"
#include "symbols/replace.h"

struct FcSymbols
{
    FcDemangle demangle;
    GArray *replacements;      /* FcReplacement, in the order given */
    gboolean is_opened;        /* the replacements are */
    GHashTable *images;        /* path -> FcImage, or NULL where it can't be used */
    GHashTable *modules;       /* path, line feed, build-id -> FcImage of `images`, or NULL */
    GStringChunk *strings;     /* every string handed out */
    GPtrArray *warnings;       /* char */
    GHashTable *warnings_seen; /* the same strings */
    char *debug_folders;
};

static void free_image(gpointer image)
{
    fc_image_free(image);
}

FcSymbols *fc_symbols_new(FcDemangle demangle, const char *const *image_paths)
{
    FcSymbols *symbols = g_new0(FcSymbols, 1);

    symbols->demangle = demangle;
    symbols->replacements = g_array_new(FALSE, TRUE, sizeof(FcReplacement));
    g_array_set_clear_func(symbols->replacements, fc_replacement_clear);
    symbols->images = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_image);
    symbols->modules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    symbols->strings = g_string_chunk_new(16384);
    symbols->warnings = g_ptr_array_new_with_free_func(g_free);
    symbols->warnings_seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (; image_paths && *image_paths; image_paths++)
    {
        FcReplacement replacement = fc_replacement_parse(*image_paths);

        g_array_append_val(symbols->replacements, replacement);
    }
    return symbols;
}

void fc_symbols_free(FcSymbols *symbols)
{
    if (!symbols)
        return;
    g_hash_table_unref(symbols->warnings_seen);
    g_ptr_array_unref(symbols->warnings);
    g_hash_table_unref(symbols->modules);
    g_hash_table_unref(symbols->images);
    g_array_unref(symbols->replacements);
    g_string_chunk_free(symbols->strings);
    g_free(symbols->debug_folders);
    g_free(symbols);
}

void fc_symbols_set_debug_folders(FcSymbols *symbols, const char *folders)
{
    g_free(symbols->debug_folders);
    symbols->debug_folders = g_strdup(folders);
}

const GPtrArray *fc_symbols_warnings(const FcSymbols *symbols)
{
    return symbols->warnings;
}

G_GNUC_PRINTF(2, 3)
static void warn(FcSymbols *symbols, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (g_hash_table_add(symbols->warnings_seen, text))
        g_ptr_array_add(symbols->warnings, text);
    else
        g_free(text);
}

/* ---- from modules to images --------------------------------------------------- */

/* The file at `path`, opened once; NULL, with a warning, where it is of no use. */
static FcImage *open_image(FcSymbols *symbols, const char *path, const char *consequence)
{
    g_autoptr(GError) error = NULL;
    gpointer image = NULL;

    if (g_hash_table_lookup_extended(symbols->images, path, NULL, &image))
        return image;
    image = fc_image_open(path, symbols->debug_folders, &error);
    if (!image)
        warn(symbols, "%s: %s; %s", path, error->message, consequence);
    g_hash_table_insert(symbols->images, g_strdup(path), image);
    return image;
}

/* The kernel's own code and the like have no file. */
static gboolean has_file(const char *path)
{
    return *path != '[' && !g_str_has_prefix(path, "linux-vdso") &&
           !g_str_has_prefix(path, "linux-gate");
}

/* Whether the image is another build than the module that ran.  A profile without a build-id
 * gives nothing to compare: then FALSE. */
static gboolean is_same_build(const FcImage *image, const char *build_id)
{
    return !build_id || g_strcmp0(image->build_id, build_id) == 0;
}

static void open_replacements(FcSymbols *symbols)
{
    GArray *all = symbols->replacements;

    for (guint i = 0; !symbols->is_opened && i < all->len; i++)
    {
        FcReplacement *replacement = &g_array_index(all, FcReplacement, i);

        replacement->image = open_image(symbols, replacement->path, "not used");
    }
    symbols->is_opened = TRUE;
}

/* The image of --image that has that build-id, whatever its name, or NULL. */
static FcImage *find_replacement_build(FcSymbols *symbols, const char *build_id)
{
    GArray *all = symbols->replacements;

    open_replacements(symbols);
    for (guint i = 0; build_id && i < all->len; i++)
    {
        const FcReplacement *replacement = &g_array_index(all, FcReplacement, i);

        if (!replacement->recorded && replacement->image &&
            g_strcmp0(replacement->image->build_id, build_id) == 0)
            return replacement->image;
    }
    return NULL;
}

/* The image of --image for the module, or NULL. */
static FcImage *find_replacement(FcSymbols *symbols, const FcProfile *profile, const char *path,
                                 const char *build_id)
{
    GArray *all = symbols->replacements;
    FcImage *image = find_replacement_build(symbols, build_id);

    if (image)
        return image;
    for (guint i = 0; i < all->len; i++)
    {
        const FcReplacement *replacement = &g_array_index(all, FcReplacement, i);

        if (!replacement->image || !fc_replacement_is_meant(replacement, path))
            continue;
        if (is_same_build(replacement->image, build_id))
            return replacement->image;
        if (fc_replacement_find_build(replacement, profile) != FC_NONE)
            continue; /* another module of that name is meant */
        warn(symbols, "%s: not the file that ran as %s (its build-id is %s, not %s); not used",
             replacement->path, path,
             replacement->image->build_id ? replacement->image->build_id : "missing", build_id);
    }
    return NULL;
}

void fc_symbols_check_images(FcSymbols *symbols, const FcProfile *profile)
{
    open_replacements(symbols);
    for (guint i = 0; i < symbols->replacements->len; i++)
    {
        const FcReplacement *replacement = &g_array_index(symbols->replacements, FcReplacement, i);
        gboolean fits = replacement->image == NULL; /* there is a warning already */

        for (guint j = 0; !fits && j < profile->modules->len; j++)
            fits = fc_replacement_fits(replacement,
                                       &g_array_index(profile->modules, FcProfileModule, j));
        if (!fits)
            warn(symbols,
                 "%s: the profile has no such module; not used (RECORDED=PATH says which "
                 "one is meant)",
                 replacement->path);
    }
}

/* Paths as the dynamic linker gives them may be relative to where the program started. */
static char *resolve_path(const FcProfile *profile, const char *path)
{
    if (g_path_is_absolute(path) || !profile->directory)
        return g_strdup(path);
    return g_build_filename(profile->directory, path, NULL);
}

/* Where the program is gone or was rebuilt, the separate debug file of the build that ran, found
 * by its build-id, has the names all the same. */
static FcImage *find_debug_file(FcSymbols *symbols, const char *build_id)
{
    g_auto(GStrv) folders =
        g_strsplit(symbols->debug_folders ? symbols->debug_folders : "/usr/lib/debug", ":", -1);

    for (guint i = 0; build_id && strlen(build_id) > 2 && folders[i]; i++)
    {
        const char *folder = folders[i] + strspn(folders[i], "+-");
        g_autofree char *path =
            g_strdup_printf("%s/.build-id/%.2s/%s.debug", folder, build_id, build_id + 2);

        if (*folder != '/' || !g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        FcImage *image = open_image(symbols, path, "not used");
        if (image && is_same_build(image, build_id))
            return image;
    }
    return NULL;
}

/* Without a build-id of the run only its time is left: a file that was written later is not
 * the one that ran, whatever it holds. */
static gboolean was_written_since(const FcImage *image, const FcProfile *profile)
{
    return profile->end_realtime_ns != 0 && image->written_ns > profile->end_realtime_ns;
}

static FcImage *choose_image(FcSymbols *symbols, const FcProfile *profile, const char *recorded,
                             const char *build_id)
{
    FcImage *image;

    /* The path of a program that ran without /proc is not known, but its build-id is. */
    if (!*recorded)
    {
        image = find_replacement_build(symbols, build_id);
        return image ? image : find_debug_file(symbols, build_id);
    }
    if (!has_file(recorded))
        return NULL;
    image = find_replacement(symbols, profile, recorded, build_id);
    if (image)
        return image;
    g_autofree char *path = resolve_path(profile, recorded);
    if (!g_file_test(path, G_FILE_TEST_EXISTS) && (image = find_debug_file(symbols, build_id)))
        return image;
    image = open_image(symbols, path, "its functions are shown by address");
    if (image && !build_id && was_written_since(image, profile))
    {
        warn(symbols,
             "%s: changed since the run (it has no build-id, but a later date); its functions "
             "are shown by address",
             path);
        return NULL;
    }
    if (!image || is_same_build(image, build_id))
        return image;
    FcImage *debug = find_debug_file(symbols, build_id);
    if (debug)
        return debug;
    warn(symbols,
         "%s: changed since the run (its build-id is %s, not %s); its functions are shown "
         "by address",
         path, image->build_id ? image->build_id : "missing", build_id);
    return NULL;
}

static FcImage *find_image(FcSymbols *symbols, const FcProfile *profile,
                           const FcProfileModule *module)
{
    g_autofree char *key =
        g_strconcat(module->path ? module->path : "", "\n", module->build_id, NULL);
    gpointer image = NULL;

    if (g_hash_table_lookup_extended(symbols->modules, key, NULL, &image))
        return image;
    image = choose_image(symbols, profile, module->path ? module->path : "", module->build_id);
    g_hash_table_insert(symbols->modules, g_steal_pointer(&key), image);
    return image;
}

const char *fc_symbols_image_path(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    const FcImage *image =
        find_image(symbols, profile, &g_array_index(profile->modules, FcProfileModule, module));

    return image ? image->path : NULL;
}

gint fc_symbols_find_module(FcSymbols *symbols, const FcProfile *profile, const char *image_path)
{
    FcReplacement meant = fc_replacement_parse(image_path);

    if (!meant.recorded && g_file_test(image_path, G_FILE_TEST_EXISTS))
        meant.image = open_image(symbols, image_path, "not used");
    gint found = fc_replacement_find_module(&meant, profile);
    fc_replacement_clear(&meant);
    return found;
}

const char *fc_symbols_debug_path(FcSymbols *symbols, const FcProfile *profile, guint module)
{
    FcImage *image =
        find_image(symbols, profile, &g_array_index(profile->modules, FcProfileModule, module));
    const char *path = NULL;
    Dwarf_Addr bias;

    if (!image || !fc_image_load(image))
        return NULL;
    /* The file is looked for when it is needed. */
    dwfl_module_getdwarf(image->module, &bias);
    dwfl_module_info(image->module, NULL, NULL, NULL, NULL, NULL, NULL, &path);
    return path;
}

/* ---- places ------------------------------------------------------------------- */

static const char *intern(FcSymbols *symbols, const char *text)
{
    return g_string_chunk_insert_const(symbols->strings, text);
}

static const char *name_place(FcSymbols *symbols, const FcProfileModule *module,
                              const FcProfilePlace *place)
{
    const char *base = module && module->path ? fc_base_name(module->path) : "";
    g_autofree char *text = NULL;

    if (*base)
        text = g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", base, place->offset);
    else
        text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", place->address);
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
        g_autofree char *path = resolve_path(profile, module->path ? module->path : "");

        /* No warning about a library that is gone: nothing was asked of it yet. */
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        *found = i;
        *image = find_image(symbols, profile, module);
        const FcImageFunction *function =
            *image ? fc_image_find_export(*image, import->raw_name) : NULL;
        if (function)
            return function;
    }
    return NULL;
}

static gboolean find_import_line(FcSymbols *symbols, const FcProfile *profile,
                                 const FcImageFunction *import, const char **file, guint *line)
{
    FcImage *image;
    guint module;
    const FcImageFunction *function = find_imported(symbols, profile, import, &module, &image);

    return function && fc_image_find_line(image, function->start, TRUE, file, line);
}

static void find_line(FcSymbols *symbols, const FcProfile *profile, FcImage *image,
                      const FcImageFunction *function, guint64 address, gboolean is_return,
                      FcSymbol *out)
{
    const char *file = NULL;
    guint line = 0;

    if (!(function && function->is_import
              ? find_import_line(symbols, profile, function, &file, &line)
              : fc_image_find_line(image, address, !is_return, &file, &line)))
        return;
    out->file = intern(symbols, file);
    out->line = line;
}

static void find(FcSymbols *symbols, const FcProfile *profile, const FcProfilePlace *place,
                 gboolean is_return, gboolean wants_line, FcSymbol *out)
{
    /* A call that does not return may be the last thing in its function. */
    guint64 address = place->offset - (is_return ? 1 : 0);
    const FcProfileModule *module = NULL;
    FcImageFunction *function = NULL;
    FcImage *image = NULL;

    memset(out, 0, sizeof *out);
    out->start = place->offset;
    if (place->module >= 0 && (guint)place->module < profile->modules->len)
    {
        module = &g_array_index(profile->modules, FcProfileModule, place->module);
        image = find_image(symbols, profile, module);
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
        out->name = name_place(symbols, module, place);
    if (wants_line && image)
        find_line(symbols, profile, image, function, address, is_return, out);
}

void fc_symbols_find(FcSymbols *symbols, const FcProfile *profile, const FcProfilePlace *place,
                     gboolean is_return, FcSymbol *out)
{
    find(symbols, profile, place, is_return, TRUE, out);
}

void fc_symbols_find_name(FcSymbols *symbols, const FcProfile *profile, const FcProfilePlace *place,
                          gboolean is_return, FcSymbol *out)
{
    find(symbols, profile, place, is_return, FALSE, out);
}

const char *fc_symbols_find_unit(FcSymbols *symbols, const FcProfile *profile,
                                 const FcProfilePlace *place, const char **folder)
{
    const char *name = NULL;
    const char *from = NULL;

    if (place->module >= 0 && (guint)place->module < profile->modules->len)
    {
        FcImage *image = find_image(
            symbols, profile, &g_array_index(profile->modules, FcProfileModule, place->module));
        if (image)
            fc_image_find_unit(image, place->offset, &name, &from);
    }
    if (folder)
        *folder = from ? intern(symbols, from) : NULL;
    return name ? intern(symbols, name) : NULL;
}

gboolean fc_symbols_find_import(FcSymbols *symbols, const FcProfile *profile, FcProfilePlace *place)
{
    guint found;

    if (place->module < 0 || (guint)place->module >= profile->modules->len)
        return FALSE;
    const FcProfileModule *module =
        &g_array_index(profile->modules, FcProfileModule, place->module);
    FcImage *image = find_image(symbols, profile, module);
    FcImageFunction *stub = image ? fc_image_find_function(image, place->offset) : NULL;
    if (!stub || !stub->is_import)
        return FALSE;
    name_function(symbols, stub);
    const FcImageFunction *function = find_imported(symbols, profile, stub, &found, &image);
    if (!function)
        return FALSE;
    place->module = (gint)found;
    place->offset = function->start;
    module = &g_array_index(profile->modules, FcProfileModule, found);
    place->address = module->base + place->offset;
    return TRUE;
}

gboolean fc_symbols_is_inlined(FcSymbols *symbols, const FcProfile *profile,
                               const FcProfilePlace *site, const FcProfilePlace *entry)
{
    if (site->module < 0 || (guint)site->module >= profile->modules->len ||
        site->module != entry->module)
        return FALSE;
    FcImage *image = find_image(symbols, profile,
                                &g_array_index(profile->modules, FcProfileModule, site->module));
    FcImageFunction *function = image ? fc_image_find_function(image, entry->offset) : NULL;
    return function && fc_image_is_inlined(image, site->offset - 1, entry->offset, function->raw);
}
