/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: finds calls in the machine code, so that calls which the run never made appear
 * with a count of 0.  As GNU gprof does it: for x86 every byte that looks like a call
 * is taken for one, and only calls to higher addresses are understood; for AArch64 a
 * jump is taken for a call as well, for it is one where it leads to a function's start.
 */
#include "fcgprof/arcs.h"

#include "fcgprof/hist.h"
#include "fcgprof/image-slots.h"

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

static void visit_x86(FcGModel *model, FcGSym *parent, guint64 low, guint64 high)
{
    guint64 text_start = fc_gimage_text_start(model->image);
    guint64 text_end = fc_gimage_text_end(model->image);
    const guint8 *text = fc_gimage_text(model->image);

    for (guint64 at = low; at < high && text_end - at >= CALL_BYTES; at++)
    {
        const guint8 *code = text + (at - text_start);
        guint64 target;

        if (code[0] != CALL_OPCODE)
            continue;
        target = at + CALL_BYTES + little_32(code + 1);
        if (fc_ghist_covering(model, target & 0xffffffff))
            add_call(model, parent, target);
    }
}

/* B and BL: a distance of 26 bits, in instructions */
static void visit_arm(FcGModel *model, FcGSym *parent, guint64 low, guint64 high)
{
    guint64 text_start = fc_gimage_text_start(model->image);
    guint64 text_end = fc_gimage_text_end(model->image);
    const guint8 *text = fc_gimage_text(model->image);
    const guint64 sign = 1 << 25;

    for (guint64 at = low; at < high && text_end - at >= ARM_BYTES; at += ARM_BYTES)
    {
        guint32 word = little_32(text + (at - text_start));
        guint64 distance = ((word & 0x03ffffff) ^ sign) - sign;
        guint64 target = at + distance * ARM_BYTES;

        if ((word & 0x7c000000) == 0x14000000 && fc_ghist_covering(model, target))
            add_call(model, parent, target);
    }
}

gboolean fc_gstatic_calls_are_known(const FcGModel *model)
{
    return fc_gimage_is_x86(model->image) || fc_gimage_code_kind(model->image) == FC_GCODE_AARCH64;
}

void fc_gstatic_calls_add(FcGModel *model, FcGSym *sym, guint64 end)
{
    gboolean is_x86 = fc_gimage_is_x86(model->image);

    if (!fc_gimage_text(model->image) || !fc_gstatic_calls_are_known(model))
        return;
    for (guint i = 0; i < model->n_hists; i++)
    {
        const FcGHist *hist = &model->hists[i];
        guint64 low = MAX(sym->addr, hist->low), high = MIN(end, hist->high);

        if (low >= high)
            continue;
        low = MAX(low, fc_gimage_text_start(model->image));
        high = MIN(high, fc_gimage_text_end(model->image));
        if (is_x86)
            visit_x86(model, sym, low, high);
        else
            visit_arm(model, sym, low, high);
        return;
    }
}
