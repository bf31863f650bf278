/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes the model's symbol table from an image: functions, source lines (-l), the
 * object files of -R, or the list of -S.  Called by main.c, and by profile-syms.c for each
 * image.
 */
#include "fcgprof/model.h"

#include "fcgprof/object.h"
#include "fcgprof/reports.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* For lines of -S without an address that no line with one precedes; gprof's is chance, but
   one of the C library, above all code of the program. */
#define ABOVE_PROGRAMS G_GUINT64_CONSTANT(0x7f0000000000)

/* Takes over `syms`. */
static void build_table(const FcGObject *object, FcGModel *model, GArray *syms)
{
    fc_gsymtab_build(model, (FcGSym *)(void *)syms->data, syms->len,
                     fc_gobject_image(object)->text_end - 1);
    g_array_free(syms, TRUE);
}

static gboolean check_table(const FcGModel *model, const char *path, GError **error)
{
    if (model->symtab.len > 0)
        return TRUE;
    g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_IMAGE, "%s: has no symbols", path);
    return FALSE;
}

/* Takes one symbol in, unless options or -R leave it out. */
static gboolean accept_symbol(const FcGModel *model, const FcGRange *in, const GArray *map,
                              FcGSym *out)
{
    if (in->is_static &&
        (model->options->no_statics || (model->options->only_functions && !in->is_func)))
        return FALSE;
    const FcGOrderMapEntry *entry = map ? fc_gorder_map_find(map, in->name) : NULL;
    if (entry && !entry->is_first)
        return FALSE;
    fc_gsym_init(out);
    out->addr = in->addr;
    out->name = entry ? entry->object : in->name;
    out->is_mapped = entry != NULL;
    out->is_func = in->is_func;
    out->is_static = in->is_static;
    return TRUE;
}

static GArray *make_functions(FcGObject *object, FcGModel *model)
{
    const GArray *all = fc_gobject_image(object)->syms;
    GArray *syms = g_array_new(FALSE, FALSE, sizeof(FcGSym));

    for (guint i = 0; i < all->len; i++)
    {
        FcGLine line;
        FcGSym sym;

        if (!accept_symbol(model, &g_array_index(all, FcGRange, i), model->order_map, &sym))
            continue;
        sym.name = fc_gmodel_strdup(model, sym.name);
        if (fc_gobject_find_line(object, sym.addr, &line))
        {
            sym.file = fc_gmodel_file(model, line.file);
            sym.line = (int)line.line;
        }
        g_array_append_val(syms, sym);
    }
    return syms;
}

static void add_line(FcGModel *model, const FcGLine *line, guint64 addr, GArray *syms)
{
    const FcGSym *last = syms->len > 0 ? &g_array_index(syms, FcGSym, syms->len - 1) : NULL;
    gboolean is_same_name = last && g_strcmp0(last->name, line->function) == 0;
    FcGSym sym;

    fc_gsym_init(&sym);
    sym.addr = addr;
    sym.name = is_same_name ? last->name : fc_gmodel_strdup(model, line->function);
    sym.file = fc_gmodel_file(model, line->file);
    sym.line = (int)line->line;
    if (is_same_name && last->file == sym.file)
    {
        sym.is_static = last->is_static;
    }
    else
    {
        const FcGSym *enclosing = fc_gsymtab_find(&model->symtab, addr);

        sym.is_static = enclosing && enclosing->is_static;
    }
    g_array_append_val(syms, sym);
}

/* Visits each address of .text where file, line or function differ from those of the last
 * address that had them all, and adds a symbol there; or, without `syms`, only looks. */
static void visit_lines(FcGObject *object, FcGModel *model, GArray *syms)
{
    const FcGImage *image = fc_gobject_image(object);
    FcGLine last = {NULL, NULL, 0};

    for (guint64 addr = image->text_start; addr < image->text_end; addr++)
    {
        FcGLine line;

        if (!fc_gobject_find_line(object, addr, &line) ||
            (last.line == line.line && last.function == line.function && last.file == line.file))
            continue;
        if (syms)
            add_line(model, &line, addr, syms);
        last = line;
    }
}

/* Joins the lines with the functions that are in the model's table already. */
static void add_lines(FcGObject *object, FcGModel *model)
{
    GArray *syms = g_array_new(FALSE, FALSE, sizeof(FcGSym));

    /* gprof goes through it twice.  The first time, libbfd finds what functions are called; that
     * is not always what it said on the way. */
    visit_lines(object, model, NULL);
    visit_lines(object, model, syms);
    g_array_append_vals(syms, model->symtab.syms, model->symtab.len);
    build_table(object, model, syms);
}

/* nm's line "U time" counts as one, too: a local function "ime" where the last one was. */
static guint64 address_or(const char *text, guint64 last)
{
    guint64 addr;

    return sscanf(text, "%" SCNx64, &addr) == 1 ? addr : last;
}

/* The file of -S: lines of address, type and name. */
static gboolean load_listed(const FcGObject *object, FcGModel *model, const char *path,
                            GError **error)
{
    char buffer[1024];
    guint64 addr = ABOVE_PROGRAMS;
    FILE *file = fopen(path, "r");

    if (!file)
    {
        g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_IMAGE, "%s: %s", path, g_strerror(errno));
        return FALSE;
    }
    GArray *syms = g_array_new(FALSE, FALSE, sizeof(FcGSym));
    while (fgets(buffer, sizeof buffer - 1, file))
    {
        char address[sizeof buffer], name[sizeof buffer], type;
        FcGSym sym;

        if (sscanf(buffer, "%1023s %c %1023s", address, &type, name) != 3 ||
            (type != 't' && type != 'T'))
            continue;
        fc_gsym_init(&sym);
        sym.addr = addr = address_or(address, addr);
        sym.name = fc_gmodel_strdup(model, name);
        sym.is_func = TRUE;
        sym.is_static = type == 't';
        g_array_append_val(syms, sym);
    }
    fclose(file);
    build_table(object, model, syms);
    return check_table(model, path, error);
}

gboolean fc_gmodel_load_symbols(FcGModel *model, FcGObject *object, const char *listed,
                                GError **error)
{
    if (listed)
        return load_listed(object, model, listed, error);
    build_table(object, model, make_functions(object, model));
    if (model->symtab.len > 0 && model->options->by_line)
        add_lines(object, model);
    return check_table(model, fc_gobject_path(object), error);
}
