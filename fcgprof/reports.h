/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything that fcgprof prints, byte for byte as GNU gprof lays it out (only the
 * explanations that -b leaves out are our own words).  Reports read the model and
 * print to its `out`; they never look at a profile.
 */
#pragma once

#include "fcgprof/model.h"

/* The name as it is shown, demangled where it is to be; nothing else.  The caller frees it. */
char *fc_gname_text(const FcGModel *model, const FcGSym *sym);

/* Prints a symbol's name (with its place under -l) and returns its length in bytes. */
int fc_gname_print_plain(const FcGModel *model, const FcGSym *sym);

/* The same, and the cycle and number that belong to it. */
void fc_gname_print(const FcGModel *model, const FcGSym *sym);

/* Path or base name of a file, as -L has it. */
const char *fc_gname_file(const FcGModel *model, const FcGFile *file);

void fc_greport_flat(FcGModel *model);
void fc_greport_graph(FcGModel *model);
void fc_greport_index(FcGModel *model);
void fc_greport_exec(FcGModel *model);
void fc_greport_annotate(FcGModel *model);
void fc_greport_function_order(FcGModel *model);
void fc_greport_file_order(FcGModel *model);

/* Explanations for those who do not know the columns. */
extern const char fc_gblurb_flat[];
extern const char fc_gblurb_graph[];

/* ---- The file of -R: which function comes from which object file -------------------------- */

typedef struct
{
    const char *function; /* interned, as the other */
    const char *object;
    gboolean is_first; /* of a run of functions of one object */
} FcGOrderMapEntry;

/* Lines "OBJECT:anything FUNCTION": FcGOrderMapEntry, by function name.  NULL and `error` on any
 * other line. */
GArray *fc_gorder_map_read(const char *path, GError **error);

/* NULL if the map does not mention the function. */
const FcGOrderMapEntry *fc_gorder_map_find(const GArray *map, const char *function);
