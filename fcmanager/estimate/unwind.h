/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the callers of a place of a process on x86-64 from its registers and a copy of its stack,
 * by the tables for exceptions (.eh_frame) that compilers make.  The process itself is not asked;
 * its files are read.
 *
 * Used by pc-samples.c, by one thread at a time.  Nothing in the files or the copy is trusted.
 */
#pragma once

#include <glib.h>

/* As DWARF numbers them: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and where it executes.
 */
#define FC_UNWIND_REGISTERS 17
#define FC_UNWIND_BP 6
#define FC_UNWIND_SP 7
#define FC_UNWIND_IP 16

typedef struct
{
    guint64 value[FC_UNWIND_REGISTERS];
    guint32 known; /* bits by number */
} FcUnwindRegisters;

typedef struct FcUnwinder FcUnwinder;

/* Of process `pid`, as the manager knows it. */
FcUnwinder *fc_unwinder_new(gint pid);
FcUnwinder *fc_unwinder_ref(FcUnwinder *unwinder);
void fc_unwinder_unref(FcUnwinder *unwinder);

/* Where the frames execute, innermost first: the place itself, then addresses within the calls.
 * `stack`: a copy of the memory from the stack pointer on.  Returns how many there are, at most
 * `most`: it ends where the tables or the copy do. */
guint fc_unwinder_walk(FcUnwinder *unwinder, FcUnwindRegisters registers, const guint8 *stack,
                       gsize bytes, guint64 *places, guint most);
