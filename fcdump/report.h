/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of reports and exports.  A new report is one file that defines its
 * render function and one row in report.c; its option --NAME, its place in the output
 * and its line of --help follow from the row.
 */
#pragma once

#include "fcdump/options.h"
#include "fcdump/render.h"
#include "model/model.h"
#include "model/memory.h"

typedef struct
{
    const FcModel *model;
    const FcMemory *memory;
    const FcSuppressions *suppressions;
    const FcOptions *options;
    FcRender *render;
} FcReportContext;

typedef enum
{
    FC_REPORT_ON_REQUEST,
    FC_REPORT_DEFAULT, /* printed unless --no-NAME */
    FC_REPORT_EXPORT,  /* printed alone, for other programs */
} FcReportKind;

typedef struct
{
    const char *name;
    const char *help;
    FcReportKind kind;
    void (*render)(const FcReportContext *context);
} FcReport;

/* In the order in which they are printed; ended by a row without a name. */
extern const FcReport fc_reports[];

void fc_report_header(const FcReportContext *context);
void fc_report_info(const FcReportContext *context);
void fc_report_flat(const FcReportContext *context);
void fc_report_graph(const FcReportContext *context);
void fc_report_cycles(const FcReportContext *context);
void fc_report_tree(const FcReportContext *context);
void fc_report_latency(const FcReportContext *context);
void fc_report_threads(const FcReportContext *context);
void fc_report_notes(const FcReportContext *context);
void fc_report_heap(const FcReportContext *context);
void fc_report_leaks(const FcReportContext *context);
void fc_report_bad_frees(const FcReportContext *context);
void fc_report_bad_reallocs(const FcReportContext *context);
void fc_report_mem_functions(const FcReportContext *context);
void fc_report_mem_contexts(const FcReportContext *context);
void fc_report_mem_sizes(const FcReportContext *context);
void fc_export_json(const FcReportContext *context);
void fc_export_dot(const FcReportContext *context);
void fc_export_vcg(const FcReportContext *context);

/* ---- What several reports need ---------------------------------------------- */

/* "file:line" of a function's entry or (`is_return`) a call site, the folder left out
 * with --basename; NULL where unknown.  The caller owns the result. */
char *fc_report_source(const FcReportContext *context, const FcProfilePlace *place,
                       gboolean is_return);

/* A function's name, "name (via other)" where `via` is not 0, "<outside>" for FC_NONE.  The
 * caller owns the result. */
char *fc_report_name(const FcReportContext *context, gint function, guint via);

/* Compares two functions as --sort asks, then by name and place, so that the order is
 * the same each time. */
int fc_report_compare(const FcReportContext *context, guint a, guint b);
/* Puts functions, guint, in that order. */
void fc_report_sort(const FcReportContext *context, GArray *functions);

/* The shown functions in that order: guint.  The caller owns the result. */
GArray *fc_report_functions(const FcReportContext *context);

/* Whether the function takes less than --min per cent. */
gboolean fc_report_is_small(const FcReportContext *context, const FcFunction *function);
/* Says that `count` such functions were left out, if any. */
void fc_report_note_small(const FcReportContext *context, guint count);
