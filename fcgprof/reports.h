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

/* Prints a name or path as fc_plain_text has it and returns its length in bytes. */
int fc_gname_put(FILE *out, const char *text);

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
/* FALSE where a file of a source (-y) was not written, which was said. */
gboolean fc_greport_annotate(FcGModel *model);
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

/* ---- What is said otherwise where times were measured rather than sampled (measured.c) -----
 *
 * The unit, and how figures are written.  A model of a gmon.out file has none of it. */

#define FC_GMEASURED_TICK_S 1e-9

struct FcGMeasured
{
    const char *unit;           /* "milliseconds" and the like: rate ticks */
    gboolean has_gaps;          /* the own part of some arcs' times is an estimate */
    gboolean is_split_by_calls; /* the profile has no times of arcs: they were worked out from
                                   the numbers of calls */
    gboolean is_estimated;      /* short functions were timed at some of their calls */
    gboolean is_cpu;            /* times are without what was waited */
};

/* Chooses the unit, the finest in which `total_ticks` nanoseconds have at most four digits
 * before the point, and sets the model's rate and dimension.  A tick is 1 ns. */
void fc_gmeasured_choose_unit(FcGModel *model, double total_ticks);

/* What stands in place of the size of a sample, in the flat profile and in the graph, and what is
 * said of it among the explanations. */
void fc_gmeasured_print_flat_granularity(const FcGModel *model);
void fc_gmeasured_print_granularity(FcGModel *model, double ticks);
void fc_gmeasured_print_blurb(const FcGModel *model);

/* The letter and the factor to seconds for columns of times by call, the most and the least of
 * which are given: so fine that the least can be seen, but the most fits, and no coarser than the
 * model's unit. */
char fc_gmeasured_choose_prefix(const FcGModel *model, double most_ticks, double least_ticks,
                                double *scale);

/* A figure right-aligned in `width` columns: with two decimals, fewer where it is too large for
 * them, and as many more as fit where it takes them to show two digits. */
void fc_gmeasured_print(FILE *out, int width, double value);

/* The same of a time in the model's unit; of sampled times with two decimals, however wide. */
void fc_gmeasured_print_ticks(const FcGModel *model, int width, double ticks);

/* A time with its own unit, like "12.3us", right-aligned; blanks for none. */
void fc_gmeasured_print_short(FILE *out, int width, double ticks);

/* The arc of the calls of a symbol from outside, made if it is not there. */
FcGArc *fc_gmeasured_outside(FcGModel *model, FcGSym *sym);

/* All such calls of a symbol or, of the header of a cycle, of its members. */
FcGArc fc_gmeasured_sum_outside(const FcGSym *sym);
