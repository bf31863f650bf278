/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is put behind names that would be shown for several functions: what tells these apart.
 * See profile.h.  Only fills in labels; symspecs and orders know names without them.
 */
#include "fcgprof/profile.h"

#include "fcgprof/reports.h"
#include <string.h>

enum
{
    BUILD_ID_DIGITS = 8
};

/* ---- Parts ----------------------------------------------------------------------------- */

/* What is said of one function, possibly a path; NULL if nothing is known.  The caller frees it. */
typedef char *Part(const FcGProfile *profile, const FcGSym *sym);

/* Several functions that a compiler makes of one constructor or destructor. */
static char *say_variant(const FcGProfile *profile, const FcGSym *sym)
{
    const FcGOptions *options = profile->model->options;

    if (!options->demangle || options->traditional)
        return NULL;
    return g_strdup(fc_demangle_variant(sym->name));
}

/* NULL for no module. */
static const FcProfileModule *module_at(const FcGProfile *profile, guint number)
{
    gint index = fc_gprofile_module(profile, number)->index;

    return index == FC_NONE
               ? NULL
               : &g_array_index(fc_gprofile_data(profile)->modules, FcProfileModule, index);
}

/* Of several builds that were in one place, with the build. */
static char *say_module(const FcGProfile *profile, const FcGSym *sym)
{
    guint number = (guint)(sym->addr >> FC_GMODULE_SHIFT);
    const FcProfileModule *own = module_at(profile, number);

    for (guint i = 0; own && own->build_id && i < profile->modules->len; i++)
    {
        const FcProfileModule *other = i != number ? module_at(profile, i) : NULL;

        if (other && strcmp(other->path, own->path) == 0)
            return g_strdup_printf("%s %.*s", own->path, BUILD_ID_DIGITS, own->build_id);
    }
    return own ? g_strdup(own->path) : NULL;
}

static char *say_file(const FcGProfile *profile, const FcGSym *sym)
{
    return sym->file ? g_strdup(sym->file->path) : NULL;
}

/* What is left; -l says it in any case. */
static char *say_address(const FcGProfile *profile, const FcGSym *sym)
{
    const FcGModel *model = profile->model;

    if (model->options->by_line)
        return NULL;
    return g_strdup_printf("@ %lx", (gulong)(sym->addr & model->addr_mask));
}

/* ---- Groups ----------------------------------------------------------------------------- */

/* The base name, and so many folders before it. */
static const char *path_tail(const char *path, guint n_folders)
{
    const char *tail = path + strlen(path);

    for (; tail > path; tail--)
    {
        if (tail[-1] == '/' && n_folders-- == 0)
            break;
    }
    return tail;
}

/* Of each of these texts, the keys, the least that tells it from the others: of a path the base
 * name, with as many folders as that takes. */
static GHashTable *shorten(GHashTable *texts)
{
    GHashTable *tails = g_hash_table_new(g_str_hash, g_str_equal);
    guint n;
    g_autofree char **keys = (char **)g_hash_table_get_keys_as_array(texts, &n);

    for (guint n_folders = 0; g_hash_table_size(tails) < n; n_folders++)
    {
        g_autoptr(GHashTable) owners = g_hash_table_new(g_str_hash, g_str_equal);

        for (guint i = 0; i < n; i++)
        {
            const char *tail = path_tail(keys[i], n_folders);

            g_hash_table_insert(owners, (gpointer)tail,
                                g_hash_table_contains(owners, tail) ? NULL : keys[i]);
        }
        for (guint i = 0; i < n; i++)
        {
            const char *tail = path_tail(keys[i], n_folders);

            if (!g_hash_table_contains(tails, keys[i]) &&
                (tail == keys[i] || g_hash_table_lookup(owners, tail)))
                g_hash_table_insert(tails, keys[i], (gpointer)tail);
        }
    }
    return tails;
}

/* Behind what the label says so far, unless that is the same of all. */
static void label_group(const FcGProfile *profile, const GPtrArray *syms, Part *part)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) distinct = g_hash_table_new(g_str_hash, g_str_equal);
    gboolean differ = FALSE;

    for (guint i = 0; i < syms->len; i++)
    {
        char *text = part(profile, g_ptr_array_index(syms, i));

        g_ptr_array_add(texts, text);
        differ |= g_strcmp0(text, texts->pdata[0]) != 0;
        if (text)
            g_hash_table_add(distinct, text);
    }
    if (!differ)
        return;
    g_autoptr(GHashTable) tails = shorten(distinct);
    for (guint i = 0; i < texts->len; i++)
    {
        FcGSym *sym = g_ptr_array_index(syms, i);

        if (!texts->pdata[i])
            continue;
        g_autofree char *label =
            g_strdup_printf("%s%s%s", sym->label ? sym->label : "", sym->label ? ", " : "",
                            (const char *)g_hash_table_lookup(tails, texts->pdata[i]));
        sym->label = fc_gmodel_strdup(profile->model, label);
    }
}

/* Labels the symbols that are shown alike, and leaves these in `alike`. */
static void label_alike(const FcGProfile *profile, GPtrArray *alike, Part *part)
{
    g_autoptr(GHashTable) groups =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    GHashTableIter iter;
    gpointer group;

    for (guint i = 0; i < alike->len; i++)
    {
        FcGSym *sym = g_ptr_array_index(alike, i);
        g_autofree char *name = fc_gname_text(profile->model, sym);
        char *text = g_strdup_printf("%s (%s)", name, sym->label ? sym->label : "");

        group = g_hash_table_lookup(groups, text);
        group = group ? g_ptr_array_ref(group) : g_ptr_array_new();
        g_ptr_array_add(group, sym);
        g_hash_table_replace(groups, text, group);
    }
    g_ptr_array_set_size(alike, 0);
    g_hash_table_iter_init(&iter, groups);
    while (g_hash_table_iter_next(&iter, NULL, &group))
    {
        const GPtrArray *syms = group;

        if (syms->len < 2)
            continue;
        label_group(profile, syms, part);
        for (guint i = 0; i < syms->len; i++)
            g_ptr_array_add(alike, g_ptr_array_index(syms, i));
    }
}

static gboolean is_listed(const FcGModel *model, const FcGSym *sym)
{
    return (sym->is_func || !model->options->by_line) &&
           (model->options->show_zero || sym->ncalls || sym->self_calls || sym->time > 0.0 ||
            sym->prop_child > 0.0);
}

void fc_gprofile_label_symbols(FcGProfile *profile)
{
    static Part *const parts[] = {say_variant, say_module, say_file, say_address};
    FcGModel *model = profile->model;
    g_autoptr(GPtrArray) alike = g_ptr_array_new();

    for (guint i = 0; i < model->symtab.len; i++)
    {
        if (is_listed(model, &model->symtab.syms[i]))
            g_ptr_array_add(alike, &model->symtab.syms[i]);
    }
    for (guint k = 0; k < G_N_ELEMENTS(parts) && alike->len > 0; k++)
        label_alike(profile, alike, parts[k]);
}
