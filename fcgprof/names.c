/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How symbols are named in reports.
 */
#include "fcgprof/reports.h"

#include "fcgprof/object.h"
#include <string.h>

const char *fc_gname_file(const FcGModel *model, const FcGFile *file)
{
    return model->options->full_paths ? file->path : file->base;
}

char *fc_gname_text(const FcGModel *model, const FcGSym *sym)
{
    const FcGOptions *options = model->options;
    char *plain = options->demangle && !options->traditional ? fc_gdemangle(sym->name) : NULL;

    return plain ? plain : g_strdup(sym->name);
}

int fc_gname_print_plain(const FcGModel *model, const FcGSym *sym)
{
    const FcGOptions *options = model->options;
    const char *label = sym->label;

    if (!sym->name)
        return 0;
    g_autofree char *text = fc_gname_text(model, sym);
    int length = fprintf(model->out, "%s", text);
    if (!label && sym->owner && strcmp(sym->owner->name, sym->name) == 0)
        label = sym->owner->label;
    if (label)
        length += fprintf(model->out, " (%s)", label);
    if (!sym->file || !(options->by_line || options->inline_file_names))
        return length;
    length += fprintf(model->out, " (%s:%d", fc_gname_file(model, sym->file), sym->line);
    if (options->by_line)
        length += fprintf(model->out, " @ %lx", (gulong)(sym->addr & model->addr_mask));
    return length + fprintf(model->out, ")");
}

void fc_gname_print(const FcGModel *model, const FcGSym *sym)
{
    fc_gname_print_plain(model, sym);
    if (sym->cycle != 0)
        fprintf(model->out, " <cycle %d>", sym->cycle);
    if (sym->index != 0)
        fprintf(model->out, sym->print_flag ? " [%d]" : " (%d)", sym->index);
}
