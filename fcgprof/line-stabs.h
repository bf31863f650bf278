/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source file, line and function of an address from stabs, the debugging information that
 * gcc wrote by default before DWARF and that it still writes for -gstabs.  The entries are
 * described in GDB's document "The stabs debug format", "Stab section transport"; which of
 * them answer is as GNU gprof's library has it.  Reads untrusted bytes: every read is
 * checked.  Used by lines.c only.
 */
#pragma once

#include "fcgprof/image.h"

typedef struct FcGLineStabs FcGLineStabs;

/* NULL if the image has no stabs that tell of code.  Strings are put into `strings` as
 * constants, which must live longer. */
FcGLineStabs *fc_gline_stabs_new(FcGImage *image, GStringChunk *strings);
void fc_gline_stabs_free(FcGLineStabs *stabs);

/* Leaves NULL or 0 where the answer is not known.  The answer depends on the questions asked
 * before, as gprof's does. */
void fc_gline_stabs_find(FcGLineStabs *stabs, guint64 addr, const char **file,
                         const char **function, guint *line);
