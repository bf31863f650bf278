/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * -c: finds what may be calls in the machine code, and those on gmon.out files.  See
 * static-calls.h. As GNU gprof does it: for x86 every byte that looks like a call is taken for one,
 * and only calls to higher addresses are understood; for AArch64 a jump is taken for a call as
 * well, for it is one where it leads to a function's start.
 */
#include "fcgprof/static-calls.h"

#include "fcgprof/gmon-files.h"
#include "fcgprof/object.h"

/* ---- Machine code -------------------------------------------------------------------- */

enum
{
    X86_CALL = 0xe8,   /* with a distance */
    X86_GROUP5 = 0xff, /* with X86_CALL_POINTER: call *distance(%rip) */
    X86_CALL_POINTER = 0x15,
    X86_DISTANCE_BYTES = 4,
    ARM_CALL = 0x25, /* BL, in the upper six bits */
    ARM_JUMP = 0x05, /* B */
    ARM_DISTANCE_BITS = 26,
    ARM_BYTES = 4
};

static guint32 little_32(const guint8 *bytes)
{
    return bytes[0] | (guint32)bytes[1] << 8 | (guint32)bytes[2] << 16 | (guint32)bytes[3] << 24;
}

static gboolean next_x86(FcGCode *code, FcGCall *call)
{
    const guint8 *bytes = code->bytes;

    while (code->at < code->n)
    {
        gsize at = code->at++;
        gboolean is_pointer = code->machine == FC_GMACHINE_X86_64 && bytes[at] == X86_GROUP5 &&
                              at + 1 < code->n && bytes[at + 1] == X86_CALL_POINTER;
        gsize distance_at = at + (is_pointer ? 2 : 1);

        if ((bytes[at] != X86_CALL && !is_pointer) || code->n - distance_at < X86_DISTANCE_BYTES)
            continue;
        *call = (FcGCall){.site = code->addr + distance_at + X86_DISTANCE_BYTES,
                          .is_pointer = is_pointer};
        call->target = call->site + (guint64)(gint64)(gint32)little_32(bytes + distance_at);
        return TRUE;
    }
    return FALSE;
}

static gboolean next_arm(FcGCode *code, FcGCall *call)
{
    const guint64 sign = 1 << (ARM_DISTANCE_BITS - 1);

    while (code->n - code->at >= ARM_BYTES)
    {
        guint32 word = little_32(code->bytes + code->at);
        guint64 distance = ((word & (2 * sign - 1)) ^ sign) - sign;

        *call = (FcGCall){.site = code->addr + code->at + ARM_BYTES,
                          .target = code->addr + code->at + distance * ARM_BYTES,
                          .is_jump = word >> ARM_DISTANCE_BITS == ARM_JUMP};
        code->at += ARM_BYTES;
        if (call->is_jump || word >> ARM_DISTANCE_BITS == ARM_CALL)
            return TRUE;
    }
    return FALSE;
}

gboolean fc_gcode_is_known(FcGMachine machine)
{
    return machine != FC_GMACHINE_OTHER;
}

gboolean fc_gcode_next_call(FcGCode *code, FcGCall *call)
{
    if (!fc_gcode_is_known(code->machine))
        return FALSE;
    return code->machine == FC_GMACHINE_AARCH64 ? next_arm(code, call) : next_x86(code, call);
}

/* ---- gmon.out files ------------------------------------------------------------------ */

enum
{
    BEYOND_X86 = 4, /* bytes of a call's five that may be behind the code's end, */
    BEYOND_ARM = 3  /* and of four */
};

static gboolean is_covered(const FcGModel *model, guint64 addr)
{
    guint i = 0;

    while (i < model->n_hists && (addr < model->hists[i].low || addr >= model->hists[i].high))
        i++;
    return i < model->n_hists;
}

static void add_call(FcGModel *model, FcGMachine machine, FcGSym *parent, const FcGCall *call)
{
    guint64 target = call->target, covered = target;

    if (call->is_pointer)
        return;
    if (machine != FC_GMACHINE_AARCH64)
    {
        target = call->site + (guint32)(call->target - call->site);
        covered = target & G_MAXUINT32;
    }
    FcGSym *child = is_covered(model, covered) ? fc_gsymtab_find(&model->symtab, target) : NULL;
    if (child && child->addr == target)
        fc_garc_add(model, parent, child, 0);
}

/* Looks at what lies in .text of [low, high). */
static void scan_code(FcGModel *model, FcGObject *object, FcGSym *sym, guint64 low, guint64 high)
{
    const FcGImage *image = fc_gobject_image(object);
    FcGCode code = {.machine = fc_gobject_machine(object)};
    gsize beyond = code.machine == FC_GMACHINE_AARCH64 ? BEYOND_ARM : BEYOND_X86;
    FcGCall call;

    low = MAX(low, image->text_start);
    high = MIN(high, image->text_end);
    code.addr = low;
    code.bytes = low < high ? fc_gobject_code_at(object, low, &code.n) : NULL;
    if (!code.bytes)
        return;
    code.n = MIN(code.n, MIN(image->text_end - low, high - low + beyond));
    while (fc_gcode_next_call(&code, &call))
        add_call(model, code.machine, sym, &call);
}

void fc_gstatic_calls_add(FcGModel *model, FcGObject *object)
{
    const FcGSymtab *symtab = &model->symtab;

    for (guint i = 0; i < symtab->len; i++)
    {
        FcGSym *sym = &symtab->syms[i];
        guint64 end = i + 1 < symtab->len ? symtab->starts[i + 1] : G_MAXUINT64;
        const FcGmonHist *hist = model->hists, *behind = hist + model->n_hists;

        /* As far as the first histogram goes that has a part of it. */
        while (hist < behind && MAX(sym->addr, hist->low) >= MIN(end, hist->high))
            hist++;
        if (hist < behind)
            scan_code(model, object, sym, MAX(sym->addr, hist->low), MIN(end, hist->high));
    }
}
