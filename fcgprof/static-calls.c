/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: finds calls in the machine code, so that calls which the run never made appear
 * with a count of 0.  As GNU gprof does it: for x86 every byte that looks like a call
 * is taken for one, and only calls to higher addresses are understood; for AArch64 a
 * jump is taken for a call as well, for it is one where it leads to a function's start.
 */
#include "fcgprof/static-calls.h"

#include "fcgprof/arcs.h"
#include "fcgprof/code-calls.h"
#include "fcgprof/hist.h"
#include "fcgprof/object.h"

enum
{
    BEYOND_X86 = 4, /* bytes of a call's five that may be behind the code's end, */
    BEYOND_ARM = 3  /* and of four */
};

typedef struct
{
    FcGModel *model;
    FcGSym *parent;
    FcGMachine machine;
} Scan;

static void add_call(const FcGCall *call, gpointer data)
{
    const Scan *scan = data;
    guint64 target = call->target, covered = target;

    if (call->is_pointer)
        return;
    if (scan->machine != FC_GMACHINE_AARCH64)
    {
        target = call->site + (guint32)(call->target - call->site);
        covered = target & G_MAXUINT32;
    }
    if (!fc_ghist_covering(scan->model, covered))
        return;
    FcGSym *child = fc_gsymtab_find(&scan->model->symtab, target);
    if (child && child->addr == target)
        fc_garc_add(scan->model, scan->parent, child, 0);
}

/* Looks at what lies in .text of [low, high). */
static void visit_code(Scan *scan, FcGObject *object, guint64 low, guint64 high)
{
    const FcGImage *image = fc_gobject_image(object);
    gsize n, beyond = scan->machine == FC_GMACHINE_AARCH64 ? BEYOND_ARM : BEYOND_X86;

    low = MAX(low, image->text_start);
    high = MIN(high, image->text_end);
    const guint8 *code = low < high ? fc_gobject_code_at(object, low, &n) : NULL;
    if (!code)
        return;
    n = MIN(n, MIN(image->text_end - low, high - low + beyond));
    fc_gcode_visit_calls(scan->machine, code, n, low, add_call, scan);
}

/* The code of `sym`, up to `end`, as far as the first histogram goes that has a part of it. */
static void visit_symbol(FcGModel *model, FcGObject *object, FcGSym *sym, guint64 end)
{
    Scan scan = {model, sym, fc_gobject_machine(object)};

    for (guint i = 0; i < model->n_hists; i++)
    {
        guint64 low = MAX(sym->addr, model->hists[i].low), high = MIN(end, model->hists[i].high);

        if (low < high)
        {
            visit_code(&scan, object, low, high);
            return;
        }
    }
}

void fc_gstatic_calls_add(FcGModel *model, FcGObject *object)
{
    const FcGSymtab *symtab = &model->symtab;

    for (guint i = 0; i < symtab->len; i++)
        visit_symbol(model, object, &symtab->syms[i],
                     i + 1 < symtab->len ? symtab->starts[i + 1] : G_MAXUINT64);
}
