/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Execution counts (-C).  See reports.h.
 */
#include "fcgprof/reports.h"

#include "fcgprof/symspec.h"
#include <string.h>

/* By file, line and address where both files are known, else by address alone. */
static int compare_places(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    if (left->file && right->file)
    {
        int difference = strcmp(left->file->path, right->file->path);

        if (difference)
            return difference;
        if (left->line != right->line)
            return left->line - right->line;
    }
    if (left->addr == right->addr)
        return 0;
    return left->addr < right->addr ? -1 : 1;
}

static void print_count(const FcGModel *model, const FcGSym *sym, guint64 addr, guint64 count)
{
    if (count == 0 && !model->options->show_zero)
        return;
    fprintf(model->out, "%s:%d: (%s:0x%lx) %lu executions\n",
            sym->file ? sym->file->path : "<unknown>", sym->line, sym->name,
            (gulong)(addr & model->addr_mask), (gulong)count);
}

void fc_greport_exec(FcGModel *model)
{
    g_autofree FcGSym **sorted = g_new(FcGSym *, model->symtab.len + 1);
    guint n = 0;

    fc_gmodel_begin_report(model);
    /* Chosen before they are sorted: compare_places() is not transitive, so that the
     * order of some depends on which others take part. */
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (fc_gspecs_selects(model->specs, FC_GTABLE_INCL_EXEC, FC_GTABLE_EXCL_EXEC, sym->addr))
            sorted[n++] = sym;
    }
    fc_gsort((void **)sorted, n, compare_places);
    for (guint i = 0; i < n; i++)
    {
        const FcGSym *sym = sorted[i];

        /* The calls of a line are those of its call sites. */
        if (!sym->owner)
            print_count(model, sym, sym->addr, sym->ncalls);
        for (const FcGBlocks *blocks = sym->blocks; blocks; blocks = blocks->next)
        {
            for (guint k = 0; k < FC_GBLOCKS_MAX && blocks->addr[k]; k++)
                print_count(model, sym, blocks->addr[k], blocks->count[k]);
        }
    }
}
