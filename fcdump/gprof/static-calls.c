/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: finds calls in the machine code, so that calls which the run never made appear
 * with a count of 0.  As GNU gprof does it for x86: every byte that looks like a call
 * is taken for one, and only calls to higher addresses are understood.
 */
#include "fcdump/gprof/arcs.h"

#include "fcdump/gprof/hist.h"
#include "fcdump/gprof/image.h"

enum
{
    CALL_OPCODE = 0xe8,
    CALL_BYTES = 5
};

static void add_call(FcGModel *model, FcGSym *parent, guint64 target)
{
    FcGSym *child;

    if (!fc_ghist_covering(model, target & 0xffffffff))
        return;
    child = fc_gsymtab_find(&model->symtab, target);
    if (child && child->addr == target)
        fc_garc_add(model, parent, child, 0);
}

void fc_gstatic_calls_add(FcGModel *model, FcGSym *sym)
{
    guint64 text_start = fc_gimage_text_start(model->image);
    guint64 text_end = fc_gimage_text_end(model->image);
    const guint8 *text = fc_gimage_text(model->image);
    guint64 low = sym->addr, high = sym[1].addr;

    if (!fc_gimage_is_x86(model->image))
        return;
    for (guint i = 0; i < model->n_hists; i++)
    {
        const FcGHist *hist = &model->hists[i];

        if (MAX(low, hist->low) >= MIN(high, hist->high))
            continue;
        low = MAX(MAX(low, hist->low), text_start);
        high = MIN(MIN(high, hist->high), text_end);
        for (guint64 at = low; text && at + CALL_BYTES <= text_end && at < high; at++)
        {
            const guint8 *code = text + (at - text_start);
            guint64 distance;

            if (code[0] != CALL_OPCODE)
                continue;
            distance =
                code[1] | (guint64)code[2] << 8 | (guint64)code[3] << 16 | (guint64)code[4] << 24;
            add_call(model, sym, at + CALL_BYTES + distance);
        }
        return;
    }
}
