/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Call instructions in machine code, for -c on profiles: x86-64 and AArch64.  Pure: looks at
 * nothing but the bytes that it is given, which may be anything.
 */
#pragma once

#include <glib.h>

typedef enum
{
    FC_GCODE_NONE, /* a machine whose calls are not known */
    FC_GCODE_X86_64,
    FC_GCODE_AARCH64,
} FcGCode;

/* What a call instruction says of where it goes. */
typedef struct
{
    guint64 site;     /* address of the instruction behind the call */
    guint64 target;   /* address of the code; of the pointer to it with `is_slot` */
    gboolean is_slot; /* x86-64: call *POINTER(%rip) */
} FcGCall;

typedef void (*FcGCallVisitor)(const FcGCall *call, gpointer data);

/* Calls `visit` for each call instruction of the `n` bytes at `code`, which run at address
 * `addr`, where an instruction begins. */
void fc_gcode_visit_calls(FcGCode kind, const guint8 *code, gsize n, guint64 addr,
                          FcGCallVisitor visit, gpointer data);

/* Whether the code is a jump by way of a pointer, as in a procedure linkage table; the
 * pointer's address goes to `*slot`. */
gboolean fc_gcode_is_stub(FcGCode kind, const guint8 *code, gsize n, guint64 addr, guint64 *slot);

/* Length of the x86-64 instruction there; 0: none that is known, or cut short.  Exposed for
 * tests. */
gsize fc_gcode_x86_length(const guint8 *code, gsize n);
