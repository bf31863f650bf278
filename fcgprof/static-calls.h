/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What may be call instructions in machine code, for -c: x86 and AArch64.  Pure: looks at nothing
 * but the bytes that it is given, which may be anything.
 */
#pragma once

#include "fcgprof/model.h"
#include "fcgprof/object.h"

/* What a call instruction says of where it goes. */
typedef struct
{
    guint64 site;        /* address of the instruction behind the call */
    guint64 target;      /* address of the code; of the pointer to it with `is_pointer` */
    gboolean is_pointer; /* x86-64: call *POINTER(%rip) */
    gboolean is_jump;    /* AArch64: goes there without a way back */
} FcGCall;

/* Whether the machine's calls are known. */
gboolean fc_gcode_is_known(FcGMachine machine);

/* Code that is looked through. */
typedef struct
{
    FcGMachine machine;
    const guint8 *bytes;
    gsize n;
    guint64 addr; /* where they run */
    gsize at;     /* those before are done */
} FcGCode;

/* The next one that can be read as a call instruction; FALSE at the end.  On x86 that may begin in
 * the middle of another one: it is for the caller to see that it goes to the start of a function.
 */
gboolean fc_gcode_next_call(FcGCode *code, FcGCall *call);

/* Adds arcs with count 0 for all calls from the code that histograms cover; none where the calls of
 * the image's machine are not known. */
void fc_gstatic_calls_add(FcGModel *model, FcGObject *object);
