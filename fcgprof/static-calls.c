/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: finds calls in the machine code, so that calls which the run never made appear
 * with a count of 0.  As GNU gprof does it: for x86 every byte that looks like a call
 * is taken for one, and only calls to higher addresses are understood; for AArch64 a
 * jump is taken for a call as well, for it is one where it leads to a function's start.
 */
#include "fcgprof/static-calls.h"

#include "fcgprof/arcs.h"
#include "fcgprof/hist.h"
#include "fcgprof/object.h"

enum
{
    CALL_OPCODE = 0xe8,
    CALL_BYTES = 5,
    ARM_BYTES = 4
};

static void add_call(FcGModel *model, FcGSym *parent, guint64 target)
{
    FcGSym *child = fc_gsymtab_find(&model->symtab, target);

    if (child && child->addr == target)
        fc_garc_add(model, parent, child, 0);
}

static guint32 little_32(const guint8 *bytes)
{
    return bytes[0] | (guint32)bytes[1] << 8 | (guint32)bytes[2] << 16 | (guint32)bytes[3] << 24;
}

/* The code of addresses [low, high) at `code`, of which there are `n` bytes. */
static void visit_x86(FcGModel *model, FcGSym *parent, const guint8 *code, gsize n, guint64 low,
                      guint64 high)
{
    for (gsize at = 0; at < high - low && n - at >= CALL_BYTES; at++)
    {
        guint64 target = low + at + CALL_BYTES + little_32(code + at + 1);

        if (code[at] == CALL_OPCODE && fc_ghist_covering(model, target & 0xffffffff))
            add_call(model, parent, target);
    }
}

/* B and BL: a distance of 26 bits, in instructions */
static void visit_arm(FcGModel *model, FcGSym *parent, const guint8 *code, gsize n, guint64 low,
                      guint64 high)
{
    const guint64 sign = 1 << 25;

    for (gsize at = 0; at < high - low && n - at >= ARM_BYTES; at += ARM_BYTES)
    {
        guint32 word = little_32(code + at);
        guint64 distance = ((word & 0x03ffffff) ^ sign) - sign;
        guint64 target = low + at + distance * ARM_BYTES;

        if ((word & 0x7c000000) == 0x14000000 && fc_ghist_covering(model, target))
            add_call(model, parent, target);
    }
}

gboolean fc_gstatic_calls_are_known(const FcGObject *object)
{
    return fc_gobject_machine(object) != FC_GMACHINE_OTHER;
}

/* Looks at what lies in .text of [low, high). */
static void visit_code(FcGModel *model, FcGObject *object, FcGSym *parent, guint64 low,
                       guint64 high)
{
    const FcGImage *image = fc_gobject_image(object);
    gsize n;

    low = MAX(low, image->text_start);
    high = MIN(high, image->text_end);
    const guint8 *code = low < high ? fc_gobject_code_at(object, low, &n) : NULL;
    if (!code)
        return;
    n = MIN(n, image->text_end - low);
    if (fc_gobject_machine(object) == FC_GMACHINE_AARCH64)
        visit_arm(model, parent, code, n, low, high);
    else
        visit_x86(model, parent, code, n, low, high);
}

/* The code of `sym`, up to `end`, as far as the first histogram goes that has a part of it. */
static void visit_symbol(FcGModel *model, FcGObject *object, FcGSym *sym, guint64 end)
{
    for (guint i = 0; i < model->n_hists; i++)
    {
        guint64 low = MAX(sym->addr, model->hists[i].low), high = MIN(end, model->hists[i].high);

        if (low < high)
        {
            visit_code(model, object, sym, low, high);
            return;
        }
    }
}

void fc_gstatic_calls_add(FcGModel *model, FcGObject *object)
{
    const FcGSymtab *symtab = &model->symtab;

    if (!fc_gstatic_calls_are_known(object))
        return;
    for (guint i = 0; i < symtab->len; i++)
        visit_symbol(model, object, &symtab->syms[i],
                     i + 1 < symtab->len ? symtab->starts[i + 1] : G_MAXUINT64);
}
