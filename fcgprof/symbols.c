/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes the model's symbol table from an image: functions, source lines (-l), the
 * object files of -R, or the list of -S.  Called once by main.c.
 */
#include "fcgprof/image.h"
#include "fcgprof/lines.h"
#include "fcgprof/order-map.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* For lines of -S without an address that no line with one precedes; gprof's is chance, but
   one of the C library, above all code of the program. */
#define ABOVE_PROGRAMS G_GUINT64_CONSTANT(0x7f0000000000)

/* Takes one ELF symbol in, unless options or -R leave it out. */
static gboolean accept_symbol(const FcGModel *model, const FcGImageSym *in, const FcGOrderMap *map,
                              FcGSym *out)
{
    const FcGOrderMapEntry *entry;

    if (!in->class || (model->options->no_statics && in->binding == STB_LOCAL))
        return FALSE;
    if (in->class == 't' && model->options->only_functions && in->type != STT_FUNC)
        return FALSE;
    entry = map ? fc_gorder_map_find(map, in->name) : NULL;
    if (entry && !entry->is_first)
        return FALSE;
    fc_gsym_init(out);
    out->addr = in->addr;
    out->name = entry ? entry->object : in->name;
    out->is_mapped = entry != NULL;
    out->is_func = in->type == STT_FUNC;
    out->is_static = in->class == 't';
    return TRUE;
}

/* Without `lines` they get neither file nor line. */
static FcGSym *make_functions(FcGImage *image, FcGModel *model, FcGLines *lines,
                              const FcGOrderMap *map, guint *n)
{
    guint n_all;
    const FcGImageSym *all = fc_gimage_symbols(image, &n_all);
    FcGSym *syms = fc_gmodel_alloc(model, ((gsize)n_all + 1) * sizeof *syms);

    *n = 0;
    for (guint i = 0; i < n_all; i++)
    {
        FcGSym *sym = &syms[*n];
        FcGLine line = {0};

        if (!accept_symbol(model, &all[i], map, sym))
            continue;
        sym->name = fc_gmodel_strdup(model, sym->name);
        if (lines && fc_glines_find(lines, sym->addr, &line))
        {
            sym->file = fc_gmodel_file(model, line.file);
            sym->line = line.line;
        }
        ++*n;
    }
    return syms;
}

typedef gboolean (*LineVisitor)(FcGModel *model, const FcGLine *line, guint64 addr, void *data);

/* Visits each address of .text where file, line or function differ from those of the
 * last address that had them all. */
static void visit_lines(FcGImage *image, FcGModel *model, FcGLines *lines, LineVisitor visit,
                        void *data)
{
    guint64 end = fc_gimage_text_end(image);
    FcGLine last = {0};

    for (guint64 addr = fc_gimage_text_start(image); addr < end;)
    {
        FcGLine line;

        if (fc_glines_find(lines, addr, &line) &&
            !(last.line == line.line && last.function &&
              strcmp(last.function, line.function) == 0 && last.file == line.file))
        {
            if (visit)
                visit(model, &line, addr, data);
            last = line;
        }
        addr = fc_glines_next_change(lines);
    }
}

static gboolean add_line(FcGModel *model, const FcGLine *line, guint64 addr, void *data)
{
    GArray *syms = data;
    const FcGSym *enclosing, *last;
    FcGSym sym;

    fc_gsym_init(&sym);
    sym.addr = addr;
    sym.name = fc_gmodel_strdup(model, line->function);
    sym.file = fc_gmodel_file(model, line->file);
    sym.line = line->line;
    last = syms->len > 0 ? &g_array_index(syms, FcGSym, syms->len - 1) : NULL;
    if (last && last->file == sym.file && strcmp(last->name, sym.name) == 0)
    {
        sym.is_static = last->is_static;
    }
    else
    {
        enclosing = fc_gsymtab_find(&model->symtab, addr);
        sym.is_static = enclosing && enclosing->is_static;
    }
    g_array_append_val(syms, sym);
    return TRUE;
}

/* Joins the lines with the functions that are in the model's table already. */
static void add_lines(FcGImage *image, FcGModel *model, FcGLines *lines)
{
    GArray *syms = g_array_new(FALSE, FALSE, sizeof(FcGSym));
    guint64 last_addr = fc_gimage_text_end(image) - 1;

    /* The first pass settles which names functions go by. */
    visit_lines(image, model, lines, NULL, NULL);
    visit_lines(image, model, lines, add_line, syms);
    g_array_append_vals(syms, model->symtab.syms, model->symtab.len);
    fc_gsymtab_build(model, (FcGSym *)(void *)syms->data, syms->len, last_addr);
    g_array_free(syms, TRUE);
}

/* nm's line "U time" counts as one, too: a local function "ime" where the last one was. */
static guint64 address_or(const char *text, guint64 last)
{
    guint64 addr;

    return sscanf(text, "%" SCNx64, &addr) == 1 ? addr : last;
}

/* The file of -S: lines of address, type and name. */
static gboolean load_listed(FcGImage *image, FcGModel *model, GError **error)
{
    const char *path = model->options->symbol_file;
    GArray *syms;
    char buffer[1024];
    guint64 addr = ABOVE_PROGRAMS;
    FILE *file = fopen(path, "r");

    if (!file)
    {
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_IMAGE, "%s: %s", path, g_strerror(errno));
        return FALSE;
    }
    syms = g_array_new(FALSE, FALSE, sizeof(FcGSym));
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
    fc_gsymtab_build(model, (FcGSym *)(void *)syms->data, syms->len, fc_gimage_text_end(image) - 1);
    g_array_free(syms, TRUE);
    if (model->symtab.len > 0)
        return TRUE;
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_IMAGE, "%s: has no symbols", path);
    return FALSE;
}

static gboolean build_table(FcGImage *image, FcGModel *model, FcGLines *lines, GError **error)
{
    guint n;
    FcGSym *syms = make_functions(image, model, lines, model->order_map, &n);

    if (n > 0)
    {
        fc_gsymtab_build(model, syms, n, fc_gimage_text_end(image) - 1);
        return TRUE;
    }
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_IMAGE, "%s: has no symbols",
                fc_gimage_path(image));
    return FALSE;
}

gboolean fc_gimage_load_functions(FcGImage *image, FcGModel *model, GError **error)
{
    return build_table(image, model, NULL, error);
}

gboolean fc_gimage_load_symbols(FcGImage *image, FcGModel *model, GError **error)
{
    g_autoptr(FcGLines) lines = NULL;

    model->image = image;
    if (model->options->map_file)
    {
        model->order_map = fc_gorder_map_read(model->options->map_file, error);
        if (!model->order_map)
            return FALSE;
    }
    if (model->options->symbol_file)
        return load_listed(image, model, error);
    lines = fc_glines_new(image);
    if (!build_table(image, model, lines, error))
        return FALSE;
    if (model->options->by_line)
        add_lines(image, model, lines);
    return TRUE;
}
