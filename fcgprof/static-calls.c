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

static void visit_x86(gboolean is_64, const guint8 *code, gsize n, guint64 addr,
                      FcGCallVisitor visit, gpointer data)
{
    for (gsize at = 0; at < n; at++)
    {
        gboolean is_pointer =
            is_64 && code[at] == X86_GROUP5 && at + 1 < n && code[at + 1] == X86_CALL_POINTER;
        gsize distance_at = at + (is_pointer ? 2 : 1);
        FcGCall call = {.site = addr + distance_at + X86_DISTANCE_BYTES, .is_pointer = is_pointer};

        if ((code[at] != X86_CALL && !is_pointer) || n - distance_at < X86_DISTANCE_BYTES)
            continue;
        call.target = call.site + (guint64)(gint64)(gint32)little_32(code + distance_at);
        visit(&call, data);
    }
}

static void visit_arm(const guint8 *code, gsize n, guint64 addr, FcGCallVisitor visit,
                      gpointer data)
{
    const guint64 sign = 1 << (ARM_DISTANCE_BITS - 1);

    for (gsize at = 0; n - at >= ARM_BYTES; at += ARM_BYTES)
    {
        guint32 word = little_32(code + at);
        guint64 distance = ((word & (2 * sign - 1)) ^ sign) - sign;
        FcGCall call = {.site = addr + at + ARM_BYTES,
                        .target = addr + at + distance * ARM_BYTES,
                        .is_jump = word >> ARM_DISTANCE_BITS == ARM_JUMP};

        if (call.is_jump || word >> ARM_DISTANCE_BITS == ARM_CALL)
            visit(&call, data);
    }
}

gboolean fc_gcode_is_known(FcGMachine machine)
{
    return machine != FC_GMACHINE_OTHER;
}

void fc_gcode_visit_calls(FcGMachine machine, const guint8 *code, gsize n, guint64 addr,
                          FcGCallVisitor visit, gpointer data)
{
    if (machine == FC_GMACHINE_AARCH64)
        visit_arm(code, n, addr, visit, data);
    else if (fc_gcode_is_known(machine))
        visit_x86(machine == FC_GMACHINE_X86_64, code, n, addr, visit, data);
}

/* ---- gmon.out files ------------------------------------------------------------------ */

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
