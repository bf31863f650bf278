/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Advice where there is no profile; see nearby.h.
 */
#include "model/nearby.h"

#include "symbols/hooked.h"

#include <glib/gstdio.h>
#include <string.h>

#define PROFILES_MAX 5  /* named in the advice */
#define ENTRIES_MAX 500 /* read from a folder */

/* ---- Programs ---------------------------------------------------------------------- */

static void advise_on_program(const char *path, GPtrArray *advice)
{
    static const char *const sentences[] = {
        [FC_HOOKED_STATIC] =
            "is linked statically: libfc needs a program that is linked dynamically",
        [FC_HOOKED_NONE] = "has no hooks: compile and link it with the flags of "
                           "fc-config --cflags-libs",
        [FC_HOOKED_LOST] = "lost its hooks in link-time optimization: link it with the flags of "
                           "fc-config --cflags --after-inlining, too",
        [FC_HOOKED_UNLINKED] = "has hooks, but was not linked with the flags of fc-config --libs",
        [FC_HOOKED_READY] = "was built to be profiled: its profile is where it was started, or "
                            "where FC_DUMP_PATH says",
    };
    const FcHooked hooked = fc_hooked_look(path);
    if (hooked != FC_HOOKED_NO_IMAGE)
        g_ptr_array_add(advice, g_strdup_printf("%s %s", path, sentences[hooked]));
}

/* ---- Profiles ---------------------------------------------------------------------- */

typedef struct
{
    char *path;
    gint64 time;
} Found;

static void clear_found(gpointer data)
{
    g_free(((Found *)data)->path);
}

static int compare_found(gconstpointer a, gconstpointer b)
{
    const Found *x = a;
    const Found *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return strcmp(x->path, y->path);
}

static gboolean is_profile_name(const char *name)
{
    return g_str_has_suffix(name, ".fc") || g_str_has_suffix(name, ".fcd");
}

/* Adds the profiles in the folder to `found`; if `deep`, also those in its folders. */
static void collect(const char *folder, gboolean deep, GArray *found)
{
    GDir *entries = g_dir_open(folder, 0, NULL);
    const char *name;
    for (guint i = 0; entries && i < ENTRIES_MAX && (name = g_dir_read_name(entries)); i++)
    {
        g_autofree char *path =
            strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
        GStatBuf status;
        if (g_lstat(path, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && deep)
            collect(path, FALSE, found);
        else if (S_ISREG(status.st_mode) && is_profile_name(name))
        {
            const Found one = {g_steal_pointer(&path), (gint64)status.st_mtime};
            g_array_append_val(found, one);
        }
    }
    if (entries)
        g_dir_close(entries);
}

static void advise_on_profiles(const char *folder, GPtrArray *advice)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(Found));
    g_autoptr(GString) names = g_string_new(NULL);
    g_array_set_clear_func(found, clear_found);
    collect(folder, TRUE, found);
    if (found->len == 0)
    {
        g_autofree char *above = g_build_filename(folder, "..", NULL);
        collect(strcmp(folder, ".") == 0 ? ".." : above, FALSE, found);
    }
    g_array_sort(found, compare_found);
    for (guint i = 0; i < found->len && i < PROFILES_MAX; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "",
                               g_array_index(found, Found, i).path);
    if (found->len > PROFILES_MAX)
        g_string_append_printf(names, " and %u more", found->len - PROFILES_MAX);
    if (found->len > 0)
        g_ptr_array_add(advice, g_strdup_printf("profiles near, the newest first: %s", names->str));
}

/* ---- All of it --------------------------------------------------------------------- */

void fc_nearby_advise(const char *const *operands, GPtrArray *advice)
{
    const char *wanted = NULL; /* a profile that is not there */
    const guint before = advice->len;
    for (guint i = 0; operands[i]; i++)
    {
        advise_on_program(operands[i], advice);
        if (!wanted && !g_file_test(operands[i], G_FILE_TEST_EXISTS))
            wanted = operands[i];
    }
    const gboolean named_program = advice->len > before;
    if (operands[0] && !named_program && !wanted)
        return; /* all are there, and errors were already reported */
    if (!wanted)
        g_ptr_array_add(advice,
                        g_strdup("looked for functioncheck.fc and functioncheck.fcd in this "
                                 "folder"));
    if (!named_program)
        g_ptr_array_add(advice,
                        g_strdup("a program leaves its profile where it was started, when it was "
                                 "compiled and linked with the flags of fc-config; "
                                 "'fcdump PROGRAM' says whether it was"));
    g_autofree char *folder = wanted ? g_path_get_dirname(wanted) : g_strdup(".");
    advise_on_profiles(folder, advice);
}
