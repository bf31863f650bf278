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

typedef struct
{
    const FcGProfile *profile;
    const GPtrArray *syms; /* those of one name that are looked at */
    guint n_folders;       /* of a path */
} Group;

/* What is said of one function; NULL if nothing is known.  The caller frees it. */
typedef char *Part(const Group *group, const FcGSym *sym);

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

static guint count_folders(const char *path)
{
    guint n = 0;

    for (const char *at = path; *at; at++)
        n += *at == '/';
    return n;
}

/* ---- Modules ------------------------------------------------------------------------- */

/* NULL for no module. */
static const FcProfileModule *module_at(const FcGProfile *profile, guint number)
{
    gint index = fc_gprofile_module(profile, number)->index;

    return index == FC_NONE
               ? NULL
               : &g_array_index(fc_gprofile_data(profile)->modules, FcProfileModule, index);
}

/* With so many folders that no other module has the same name. */
static char *name_module(const FcGProfile *profile, guint number)
{
    const FcProfileModule *own = module_at(profile, number);
    guint n_folders = 0, most;
    gboolean has_twin = FALSE; /* another build, in the same place */

    if (!own)
        return NULL;
    most = count_folders(own->path);
    for (guint i = 0; i < profile->modules->len; i++)
    {
        const FcProfileModule *module = i != number ? module_at(profile, i) : NULL;
        const char *other = module ? module->path : NULL;
        gboolean is_twin = g_strcmp0(other, own->path) == 0;

        has_twin |= is_twin;
        while (other && !is_twin && n_folders < most &&
               strcmp(path_tail(own->path, n_folders), path_tail(other, n_folders)) == 0)
            n_folders++;
    }
    if (has_twin && own->build_id)
        return g_strdup_printf("%s %.*s", path_tail(own->path, n_folders), BUILD_ID_DIGITS,
                               own->build_id);
    return g_strdup(path_tail(own->path, n_folders));
}

/* ---- Parts ----------------------------------------------------------------------------- */

/* Several functions that a compiler makes of one constructor or destructor. */
static char *say_variant(const Group *group, const FcGSym *sym)
{
    const FcGOptions *options = group->profile->model->options;

    if (!options->demangle || options->traditional)
        return NULL;
    return g_strdup(fc_demangle_variant(sym->name));
}

static char *say_module(const Group *group, const FcGSym *sym)
{
    guint number = (guint)(sym->addr >> FC_GMODULE_SHIFT);
    FcGModule *module = fc_gprofile_module(group->profile, number);

    if (!module->label)
        module->label = name_module(group->profile, number);
    return g_strdup(module->label);
}

static char *say_file(const Group *group, const FcGSym *sym)
{
    return sym->file ? g_strdup(path_tail(sym->file->path, group->n_folders)) : NULL;
}

/* What is left; -l says it in any case. */
static char *say_address(const Group *group, const FcGSym *sym)
{
    const FcGModel *model = group->profile->model;

    if (model->options->by_line)
        return NULL;
    return g_strdup_printf("@ %lx", (gulong)(sym->addr & model->addr_mask));
}

/* As many folders as it takes for all files of the symbols to look different. */
static guint choose_folders(const GPtrArray *syms)
{
    g_autoptr(GHashTable) files = g_hash_table_new(NULL, NULL);
    guint n_folders = 0, most = 0;

    for (guint i = 0; i < syms->len; i++)
    {
        const FcGSym *sym = g_ptr_array_index(syms, i);

        if (sym->file && g_hash_table_add(files, sym->file))
            most = MAX(most, count_folders(sym->file->path));
    }
    for (; n_folders < most; n_folders++)
    {
        g_autoptr(GHashTable) tails = g_hash_table_new(g_str_hash, g_str_equal);
        GHashTableIter iter;
        gpointer file;

        g_hash_table_iter_init(&iter, files);
        while (g_hash_table_iter_next(&iter, &file, NULL))
            g_hash_table_add(tails, (gpointer)path_tail(((FcGFile *)file)->path, n_folders));
        if (g_hash_table_size(tails) == g_hash_table_size(files))
            break;
    }
    return n_folders;
}

/* ---- Groups ----------------------------------------------------------------------------- */

/* Behind what the label says so far, unless that is the same of all. */
static void label_group(Group *group, Part *part)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    gboolean differ = FALSE;

    group->n_folders = choose_folders(group->syms);
    for (guint i = 0; i < group->syms->len; i++)
    {
        g_ptr_array_add(texts, part(group, g_ptr_array_index(group->syms, i)));
        differ |= g_strcmp0(texts->pdata[i], texts->pdata[0]) != 0;
    }
    for (guint i = 0; differ && i < texts->len; i++)
    {
        FcGSym *sym = g_ptr_array_index(group->syms, i);
        g_autofree char *both = NULL;

        if (!texts->pdata[i])
            continue;
        if (sym->label)
            both = g_strdup_printf("%s, %s", sym->label, (const char *)texts->pdata[i]);
        sym->label =
            fc_gmodel_strdup(group->profile->model, both ? both : (const char *)texts->pdata[i]);
    }
}

/* The symbols that are alike so far, in new groups. */
static GPtrArray *split(const FcGModel *model, const GPtrArray *syms)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    g_autoptr(GHashTable) by_text = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < syms->len; i++)
    {
        FcGSym *sym = g_ptr_array_index(syms, i);
        g_autofree char *name = fc_gname_text(model, sym);
        char *text = g_strdup_printf("%s (%s)", name, sym->label ? sym->label : "");
        GPtrArray *group = g_hash_table_lookup(by_text, text);

        if (!group)
        {
            group = g_ptr_array_new();
            g_ptr_array_add(groups, group);
            g_hash_table_insert(by_text, g_strdup(text), group);
        }
        g_ptr_array_add(group, sym);
        g_free(text);
    }
    return groups;
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
    {
        g_autoptr(GPtrArray) groups = split(model, alike);

        g_ptr_array_set_size(alike, 0);
        for (guint i = 0; i < groups->len; i++)
        {
            Group group = {profile, g_ptr_array_index(groups, i), 0};

            if (group.syms->len < 2)
                continue;
            label_group(&group, parts[k]);
            for (guint n = 0; n < group.syms->len; n++)
                g_ptr_array_add(alike, g_ptr_array_index(group.syms, n));
        }
    }
}
