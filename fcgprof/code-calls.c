/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds what may be calls.  See code-calls.h.
 */
#include "fcgprof/code-calls.h"

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
