/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of the function around an address: from a unit's DWARF entries, and from
 * the ELF symbols of .text.  Used by lines.c and line-units.c.
 */
#pragma once

#include "fcgprof/image.h"

#include <elfutils/libdw.h>

/* A subprogram or inlined subroutine that has code. */
typedef struct
{
    const char *name;
    gboolean is_linkage; /* name is final: no ELF symbol is preferred to it */
    guint64 low;         /* of its first range */
} FcGLineFunc;

typedef struct FcGLineFuncs FcGLineFuncs;

/* All functions of a unit. Never fails. */
FcGLineFuncs *fc_gline_funcs_new(Dwarf_Die *unit);
void fc_gline_funcs_free(FcGLineFuncs *funcs);

/* The function with the smallest range around `addr`, the later of equals; NULL if
 * none.  `until` as in line-table.h. */
FcGLineFunc *fc_gline_funcs_find(FcGLineFuncs *funcs, guint64 addr, guint64 *until);

/* Calls `visit` with each range of each function, as they stand in the entries. */
void fc_gline_funcs_each_range(const FcGLineFuncs *funcs,
                               void (*visit)(guint64 low, guint64 high, gpointer data),
                               gpointer data);

typedef struct FcGTextSyms FcGTextSyms;

/* `image` may be NULL: then there are none. */
FcGTextSyms *fc_gtext_syms_new(const FcGImage *image);
void fc_gtext_syms_free(FcGTextSyms *syms);

/* The .text symbol nearest to `addr` from below (NULL if none).  The last answer is
 * given again while `addr` stays inside that symbol's size. */
const FcGImageSym *fc_gtext_syms_find(FcGTextSyms *syms, guint64 addr);

/* One past the addresses from `addr` on that would have the last answer again. */
guint64 fc_gtext_syms_same_until(const FcGTextSyms *syms, guint64 addr);

/* Whether gprof's library understands the ranges that `die` names, if any: not those
 * that are listed by index (DW_FORM_rnglistx). */
gboolean fc_gline_funcs_has_ranges(Dwarf_Die *die);

/* Calls `visit` for each entry in another unit that functions or variables of `unit` are
 * instances of, in the order of the file. */
void fc_gline_funcs_each_origin(Dwarf_Die *unit, void (*visit)(Dwarf_Die *origin, gpointer data),
                                gpointer data);
