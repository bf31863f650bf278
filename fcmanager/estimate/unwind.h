/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the callers of a place in a process on x86-64, from its registers and a copy of its stack,
 * by the tables for exceptions (.eh_frame) that compilers make.  Reads the process's files, and
 * asks nothing of the process itself.
 *
 * Used by pc-samples.c and fcmanager/session/wait-stack.c.  Only one thread at a time may use an
 * unwinder.  tests/fuzz/fuzz_unwind.c tries it.  Nothing in the
 * files or the copy is trusted.
 */
#pragma once

#include <glib.h>

/* Registers as DWARF numbers them: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and the
 * instruction pointer. */
#define FC_UNWIND_REGISTERS 17
#define FC_UNWIND_BP 6
#define FC_UNWIND_SP 7
#define FC_UNWIND_IP 16

typedef struct
{
    guint64 value[FC_UNWIND_REGISTERS];
    guint32 known; /* a bit for each register that is known */
} FcUnwindRegisters;

/* Where a frame executes. */
typedef struct
{
    guint64 place; /* for a caller: within the call */
    guint64 start; /* where the function begins by the tables; 0: they don't say */
} FcUnwindFrame;

typedef struct FcUnwinder FcUnwinder;

/* Returns an unwinder for process `pid`, as the manager knows it.  0: it knows only what
 * fc_unwinder_add tells it.  `files`: a table of strings, at first empty and for unwinders alone,
 * that outlives them; they share what they read of files.  NULL: it shares nothing.  The caller
 * unrefs it. */
FcUnwinder *fc_unwinder_new(gint pid, GHashTable *files);
/* Tells of a mapping of a file with code.  Used by the unwinder itself, and by tests. */
void fc_unwinder_add(FcUnwinder *unwinder, const char *path, guint64 start, guint64 end,
                     guint64 offset);
/* To be called if the process may have mapped other files since the last walk.  They are read again
 * by `pid`, any thread of the process that lives. */
void fc_unwinder_expire(FcUnwinder *unwinder, gint pid);
FcUnwinder *fc_unwinder_ref(FcUnwinder *unwinder);
void fc_unwinder_unref(FcUnwinder *unwinder);

/* Fills `frames`, innermost first.  `stack` is a copy of the memory from the stack pointer on.
 * Returns their number, at most `most`; stops where the tables or the copy end. */
guint fc_unwinder_walk(FcUnwinder *unwinder, FcUnwindRegisters registers, const guint8 *stack,
                       gsize bytes, FcUnwindFrame *frames, guint most);
