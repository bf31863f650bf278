/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long an x86-64 instruction is, so that code can be walked from instruction to
 * instruction and an operand is not taken for a call.  code-calls.c asks.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gsize length;
    gsize opcode_at; /* where the last opcode byte is */
    guint map;       /* 0: one-byte opcodes; 1: 0f; 2: 0f 38; 3: 0f 3a; others: EVEX only */
} FcGX86;

/* FALSE where the bytes are no instruction in 64-bit mode that is known, or are cut short. */
gboolean fc_gx86_decode(const guint8 *code, gsize n, FcGX86 *out);
