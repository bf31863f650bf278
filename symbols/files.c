/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See files.h.
 */
#include "symbols/files.h"

#include <string.h>

#include "symbols/replace.h"

static void free_image(gpointer image)
{
    fc_image_free(image);
}

void fc_files_init(FcFiles *files, const char *const *image_paths)
{
    *files = (FcFiles){0};
    files->replacements = g_array_new(FALSE, TRUE, sizeof(FcReplacement));
    g_array_set_clear_func(files->replacements, fc_replacement_clear);
    files->images = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_image);
    files->modules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    files->warnings = g_ptr_array_new_with_free_func(g_free);
    files->warnings_seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (; image_paths && *image_paths; image_paths++)
    {
        FcReplacement replacement = fc_replacement_parse(*image_paths);

        g_array_append_val(files->replacements, replacement);
    }
}

void fc_files_clear(FcFiles *files)
{
    g_hash_table_unref(files->warnings_seen);
    g_ptr_array_unref(files->warnings);
    g_hash_table_unref(files->modules);
    g_hash_table_unref(files->images);
    g_array_unref(files->replacements);
    g_free(files->debug_folders);
}

void fc_files_set_debug_folders(FcFiles *files, const char *folders)
{
    g_free(files->debug_folders);
    files->debug_folders = g_strdup(folders);
}

G_GNUC_PRINTF(2, 3)
static void warn(FcFiles *files, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (g_hash_table_contains(files->warnings_seen, text))
    {
        g_free(text);
        return;
    }
    g_hash_table_add(files->warnings_seen, text);
    g_ptr_array_add(files->warnings, text);
}

/* The file at `path`, opened once; NULL, with a warning, where it is of no use. */
static FcImage *open_image(FcFiles *files, const char *path, const char *consequence)
{
    g_autoptr(GError) error = NULL;
    gpointer image = NULL;

    if (g_hash_table_lookup_extended(files->images, path, NULL, &image))
        return image;
    image = fc_image_open(path, files->debug_folders, &error);
    if (!image)
        warn(files, "%s: %s; %s", path, error->message, consequence);
    g_hash_table_insert(files->images, g_strdup(path), image);
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

static void open_replacements(FcFiles *files)
{
    GArray *all = files->replacements;

    for (guint i = 0; !files->is_opened && i < all->len; i++)
    {
        FcReplacement *replacement = &g_array_index(all, FcReplacement, i);

        replacement->image = open_image(files, replacement->path, "not used");
    }
    files->is_opened = TRUE;
}

/* The image of --image that has that build-id, whatever its name, or NULL. */
static FcImage *find_replacement_build(FcFiles *files, const char *build_id)
{
    GArray *all = files->replacements;

    open_replacements(files);
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
static FcImage *find_replacement(FcFiles *files, const FcProfile *profile, const char *path,
                                 const char *build_id)
{
    GArray *all = files->replacements;
    FcImage *image = find_replacement_build(files, build_id);

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
        warn(files, "%s: not the file that ran as %s (its build-id is %s, not %s); not used",
             replacement->path, path,
             replacement->image->build_id ? replacement->image->build_id : "missing", build_id);
    }
    return NULL;
}

void fc_files_check_replacements(FcFiles *files, const FcProfile *profile)
{
    open_replacements(files);
    for (guint i = 0; i < files->replacements->len; i++)
    {
        const FcReplacement *replacement = &g_array_index(files->replacements, FcReplacement, i);
        gboolean fits = replacement->image == NULL; /* there is a warning already */

        for (guint j = 0; !fits && j < profile->modules->len; j++)
            fits = fc_replacement_fits(replacement,
                                       &g_array_index(profile->modules, FcProfileModule, j));
        if (!fits)
            warn(files,
                 "%s: the profile has no such module; not used (RECORDED=PATH says which "
                 "one is meant)",
                 replacement->path);
    }
}

char *fc_files_resolve(const FcProfile *profile, const char *path)
{
    if (g_path_is_absolute(path) || !profile->directory)
        return g_strdup(path);
    return g_build_filename(profile->directory, path, NULL);
}

/* If the program is gone or was rebuilt, the separate debug file of the build that ran still has
 * the names.  It is found by its build-id. */
static FcImage *find_debug_file(FcFiles *files, const char *build_id)
{
    g_auto(GStrv) folders =
        g_strsplit(files->debug_folders ? files->debug_folders : "/usr/lib/debug", ":", -1);

    for (guint i = 0; build_id && strlen(build_id) > 2 && folders[i]; i++)
    {
        const char *folder = folders[i] + strspn(folders[i], "+-");
        g_autofree char *path =
            g_strdup_printf("%s/.build-id/%.2s/%s.debug", folder, build_id, build_id + 2);

        if (*folder != '/' || !g_file_test(path, G_FILE_TEST_EXISTS))
            continue;
        FcImage *image = open_image(files, path, "not used");
        if (image && is_same_build(image, build_id))
            return image;
    }
    return NULL;
}

/* Without a build-id, only times can tell: a file that was written after the run is not the one
 * that ran. */
static gboolean was_written_since(const FcImage *image, const FcProfile *profile)
{
    return profile->end_realtime_ns != 0 && image->written_ns > profile->end_realtime_ns;
}

/* Whether the kernel's name of the mapping says that it was memory, or a deleted file. */
static gboolean was_gone(const char *recorded)
{
    return g_str_has_prefix(recorded, "/memfd:") || g_str_has_suffix(recorded, " (deleted)");
}

/* Names are not to be had from the path itself. */
static FcImage *choose_without_file(FcFiles *files, const char *recorded, const char *path,
                                    const char *build_id)
{
    FcImage *image = find_debug_file(files, build_id);

    if (!image)
        warn(files, "%s: %s; its functions are shown by address (--image=FILE has the names)", path,
             was_gone(recorded) ? "was in memory or deleted when it ran"
                                : "was reached by a descriptor of the program's");
    return image;
}

static FcImage *choose_image(FcFiles *files, const FcProfile *profile, const char *recorded,
                             const char *build_id)
{
    FcImage *image;

    /* The path of a program that ran without /proc is not known, but its build-id is. */
    if (!*recorded)
    {
        image = find_replacement_build(files, build_id);
        return image ? image : find_debug_file(files, build_id);
    }
    if (!has_file(recorded))
        return NULL;
    image = find_replacement(files, profile, recorded, build_id);
    if (image)
        return image;
    g_autofree char *path = fc_files_resolve(profile, recorded);
    if ((was_gone(recorded) && !g_file_test(path, G_FILE_TEST_EXISTS)) || fc_image_is_passing(path))
        return choose_without_file(files, recorded, path, build_id);
    if (!g_file_test(path, G_FILE_TEST_EXISTS) && (image = find_debug_file(files, build_id)))
        return image;
    image = open_image(files, path, "its functions are shown by address");
    if (image && !build_id && was_written_since(image, profile))
    {
        warn(files,
             "%s: changed since the run (it has no build-id, but a later date); its functions "
             "are shown by address",
             path);
        return NULL;
    }
    if (!image || is_same_build(image, build_id))
        return image;
    FcImage *debug = find_debug_file(files, build_id);
    if (debug)
        return debug;
    warn(files,
         "%s: changed since the run (its build-id is %s, not %s); its functions are shown "
         "by address",
         path, image->build_id ? image->build_id : "missing", build_id);
    return NULL;
}

FcImage *fc_files_find(FcFiles *files, const FcProfile *profile, const FcProfileModule *module)
{
    g_autofree char *key =
        g_strconcat(module->path ? module->path : "", "\n", module->build_id, NULL);
    gpointer image = NULL;

    if (g_hash_table_lookup_extended(files->modules, key, NULL, &image))
        return image;
    image = choose_image(files, profile, module->path ? module->path : "", module->build_id);
    g_hash_table_insert(files->modules, g_steal_pointer(&key), image);
    return image;
}

gint fc_files_find_module(FcFiles *files, const FcProfile *profile, const char *image_path)
{
    FcReplacement meant = fc_replacement_parse(image_path);

    if (!meant.recorded && g_file_test(image_path, G_FILE_TEST_EXISTS))
        meant.image = open_image(files, image_path, "not used");
    gint found = fc_replacement_find_module(&meant, profile);
    fc_replacement_clear(&meant);
    return found;
}
