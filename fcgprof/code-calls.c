/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds calls.  See code-calls.h.
 */
#include "fcgprof/code-calls.h"

#include "fcgprof/code-x86.h"

enum
{
    X86_CALL = 0xe8,
    X86_GROUP5 = 0xff,
    X86_CALL_RIP = 0x15, /* ModRM of call *disp(%rip) */
    X86_JUMP_RIP = 0x25, /* ModRM of jmp *disp(%rip) */
    ARM_BYTES = 4
};

static gint64 signed_32(const guint8 *bytes)
{
    guint32 value =
        bytes[0] | (guint32)bytes[1] << 8 | (guint32)bytes[2] << 16 | (guint32)bytes[3] << 24;

    return (gint32)value;
}

static guint32 arm_word(const guint8 *bytes)
{
    return (guint32)signed_32(bytes);
}

static gint64 extend_sign(guint64 value, int n_bits)
{
    guint64 top = G_GUINT64_CONSTANT(1) << (n_bits - 1);

    return (gint64)((value ^ top) - top);
}

gsize fc_gcode_x86_length(const guint8 *code, gsize n)
{
    FcGX86 instruction;

    return fc_gx86_decode(code, n, &instruction) ? instruction.length : 0;
}

static void visit_x86(const guint8 *code, gsize n, guint64 addr, FcGCallVisitor visit,
                      gpointer data)
{
    FcGX86 instruction;

    for (gsize at = 0; at < n; at += instruction.length)
    {
        const guint8 *bytes = code + at;
        FcGCall call = {0};

        if (!fc_gx86_decode(bytes, n - at, &instruction))
        {
            instruction.length = 1; /* data between functions, perhaps */
            continue;
        }
        call.site = addr + at + instruction.length;
        bytes += instruction.opcode_at;
        if (instruction.map != 0)
            continue;
        if (bytes[0] == X86_CALL)
            call.target = call.site + (guint64)signed_32(bytes + 1);
        else if (bytes[0] == X86_GROUP5 && bytes[1] == X86_CALL_RIP)
        {
            call.target = call.site + (guint64)signed_32(bytes + 2);
            call.is_slot = TRUE;
        }
        else
            continue;
        visit(&call, data);
    }
}

static void visit_arm(const guint8 *code, gsize n, guint64 addr, FcGCallVisitor visit,
                      gpointer data)
{
    for (gsize at = 0; at + ARM_BYTES <= n; at += ARM_BYTES)
    {
        guint32 word = arm_word(code + at);
        FcGCall call = {.site = addr + at + ARM_BYTES};

        if (word >> 26 != 0x25) /* BL */
            continue;
        call.target = addr + at + (guint64)(extend_sign(word & 0x3ffffff, 26) * ARM_BYTES);
        visit(&call, data);
    }
}

void fc_gcode_visit_calls(FcGCode kind, const guint8 *code, gsize n, guint64 addr,
                          FcGCallVisitor visit, gpointer data)
{
    if (kind == FC_GCODE_X86_64)
        visit_x86(code, n, addr, visit, data);
    else if (kind == FC_GCODE_AARCH64)
        visit_arm(code, n, addr, visit, data);
}

/* ---- Stubs ---------------------------------------------------------------------------- */

/* [endbr64] [bnd] jmp *slot(%rip) */
static gboolean is_x86_stub(const guint8 *code, gsize n, guint64 addr, guint64 *slot)
{
    FcGX86 instruction;

    for (gsize at = 0; fc_gx86_decode(code + at, n - at, &instruction); at += instruction.length)
    {
        const guint8 *bytes = code + at + instruction.opcode_at;

        if (instruction.map == 0 && bytes[0] == X86_GROUP5 && bytes[1] == X86_JUMP_RIP)
        {
            *slot = addr + at + instruction.length + (guint64)signed_32(bytes + 2);
            return TRUE;
        }
        if (instruction.map != 1 || bytes[0] != 0x1e) /* endbr64 */
            return FALSE;
    }
    return FALSE;
}

/* [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET] */
static gboolean is_arm_stub(const guint8 *code, gsize n, guint64 addr, guint64 *slot)
{
    const guint32 bti = 0xd503245f;
    gsize at = n >= ARM_BYTES && arm_word(code) == bti ? ARM_BYTES : 0;
    guint32 adrp, ldr;
    gint64 pages;

    if (n < at + 2 * ARM_BYTES)
        return FALSE;
    adrp = arm_word(code + at);
    ldr = arm_word(code + at + ARM_BYTES);
    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
        return FALSE;
    pages = extend_sign((adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2, 21);
    *slot = ((addr + at) & ~G_GUINT64_CONSTANT(0xfff)) + ((guint64)pages << 12) +
            (guint64)(ldr >> 10 & 0xfff) * 8;
    return TRUE;
}

gboolean fc_gcode_is_stub(FcGCode kind, const guint8 *code, gsize n, guint64 addr, guint64 *slot)
{
    if (kind == FC_GCODE_X86_64)
        return is_x86_stub(code, n, addr, slot);
    return kind == FC_GCODE_AARCH64 && is_arm_stub(code, n, addr, slot);
}
