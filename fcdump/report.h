/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a report is given, and what several reports need.  A report is one file, which defines its
 * row, an FcReport, and is named in report-table.c.  Reports print by way of render.h and change
 * nothing.
 */
#pragma once

#include "fcdump/options.h"
#include "fcdump/render.h"
#include "model/diff.h"
#include "model/memory.h"
#include "model/model.h"
#include "model/stacks.h"

typedef struct FcReportContext
{
    const FcModel *model;
    const FcMemory *memory;
    const FcSuppressions *suppressions;
    const FcOptions *options;
    FcRender *render;
    const FcDiff *runs;       /* --runs: the model's runs, all on the side after; not judged */
    const FcDiff *diff;       /* --diff: in place of the model */
    const GPtrArray *reasons; /* char *: what --fail-on found */
    GPtrArray *notes;         /* char *: lines for standard error */
} FcReportContext;

/* ---- What several reports need ---------------------------------------------- */

/* "file:line" of a function's entry or (`is_return`) a call site, the folder left out
 * with --basename; NULL where unknown.  The caller owns the result. */
char *fc_report_source(const FcReportContext *context, const FcProfileLocation *place,
                       gboolean is_return);
/* "file:line" of the call in which a function waits: see fc_contention_site_line.  The folder, NULL
 * and the result are as those of fc_report_source. */
char *fc_report_wait_line(const FcReportContext *context, const FcProfileWaitSite *site);

/* The same of a line that is known already. */
char *fc_report_line(const FcReportContext *context, const char *file, guint line);

/* A function's name, "name (via other)" where `via` is not 0, "<outside>" for FC_NONE.  The
 * caller owns the result. */
char *fc_report_name(const FcReportContext *context, gint function, guint via);

/* The weight of an export of stacks that has only one: by --weight, else by --time, else time on
 * the CPU if it is known, else elapsed time. */
FcWeight fc_report_weight(const FcReportContext *context);

/* Whether the total time of the function is an estimate, because not all of its calls were timed;
 * and its local time, because not all of its calls or of those that it made were timed. */
gboolean fc_report_is_estimated(const FcProfileFunction *figures);
gboolean fc_report_is_local_estimated(const FcProfileFunction *figures);
/* Whether only a sample of its calls was timed, so that bounds and percentiles are those of the
 * sample. */
gboolean fc_report_is_sampled(const FcProfileFunction *figures);
/* A time, or a sum of times, with what determines its mark. */
typedef struct
{
    guint64 ns;
    guint64 cost_ns;    /* overhead that was subtracted */
    double variance;    /* the square of the standard error, in ns */
    gboolean estimated; /* at least in part */
} FcTimeSum;

void fc_report_add_total(FcTimeSum *sum, const FcProfileFunction *figures);
void fc_report_add_local(FcTimeSum *sum, const FcProfileFunction *figures);
/* "~": it is an estimate; "?": its error, or the overhead that was subtracted, is too large. */
const char *fc_report_time_mark(const FcReportContext *context, const FcTimeSum *sum);
/* The time with its mark.  The next two are the same for one function, or "unknown". The caller
 * owns the results. */
char *fc_report_time(const FcReportContext *context, const FcTimeSum *sum);
char *fc_report_total_time(const FcReportContext *context, const FcProfileFunction *figures);
char *fc_report_local_time(const FcReportContext *context, const FcProfileFunction *figures);
/* Whether the arc's calls are apportioned at any of its sites: only the sum of several arcs is
 * exact.
 */
gboolean fc_report_is_apportioned(const FcModel *model, const FcArc *arc);
/* `text`, which it takes over, with "~" before it if `marked`. */
char *fc_report_mark(char *text, gboolean marked);
/* `count`, which it takes over, of calls of the function; "-" where nothing counts them. */
char *fc_report_calls(const FcProfileFunction *figures, char *count);
/* Whether threads are selected, so that contexts (or arcs), known only for all threads together,
 * are missing.  If so, prints the title and says that. */
gboolean fc_report_lacks_contexts(const FcReportContext *context, const char *title);
gboolean fc_report_lacks_arcs(const FcReportContext *context, const char *title);
/* The sum of the functions' local times off the CPU.  *notable: whether that is more than a
 * hundredth of all time. */
guint64 fc_report_waits_ns(const FcReportContext *context, gboolean *notable);

/* Whether times off the CPU have a column: where they are notable, beside times on the CPU. */
gboolean fc_report_shows_waits(const FcReportContext *context);

/* Says what minima and maxima measure if it differs from the times beside them. */
void fc_report_note_bounds(const FcReportContext *context);
/* The time's share of the whole; the caller owns it.  At most 100% (a total may exceed the sum of
 * local times by rounding); with --base it may be more. */
char *fc_report_share(const FcModel *model, guint64 ns);
/* Says what 100% is. */
void fc_report_note_base(const FcReportContext *context);
/* Says what the marks mean, where there are any. */
void fc_report_note_marks(const FcReportContext *context);

/* Compares two functions as --sort asks, then by name and place, so that the order is
 * the same each time. */
int fc_report_compare(const FcReportContext *context, guint a, guint b);
/* Puts functions, guint, in that order. */
void fc_report_sort(const FcReportContext *context, GArray *functions);

/* A copy of `options` with the order by local time, unless --sort was given, and for people with at
 * most `most` rows, unless --top was given. */
FcOptions fc_report_by_local_time(const FcOptions *options, guint most);

/* The shown functions in that order: guint.  The caller owns the result. */
GArray *fc_report_functions(const FcReportContext *context);
/* The same, but if --sort asks for bounds, by those of elapsed times. */
GArray *fc_report_functions_elapsed(const FcReportContext *context);

/* Whether `part` is less than --min per cent of `whole`. */
gboolean fc_report_is_small(const FcReportContext *context, guint64 part, guint64 whole);

/* The least total time of a call that --min and --min-time keep. */
guint64 fc_report_least_ns(const FcReportContext *context);

/* What --min and --top make of the rows of a report. */
typedef struct
{
    guint kept;
    guint small;  /* left out by --min */
    guint beyond; /* left out by --top */
} FcReportCut;

/* Whether the next row, with a share of `part` in `whole`, is printed.  Counts it. */
gboolean fc_report_keep(const FcReportContext *context, FcReportCut *cut, guint64 part,
                        guint64 whole);
/* Adds a row to a table with `columns` columns that says in the last one how many rows were left
 * out, if any. */
void fc_report_add_cut(FcTable *table, guint columns, const char *indent, const FcReportCut *cut);
/* Whether there is a table to print: a row of it, or at least its headings for --csv. */
gboolean fc_report_prints(const FcReportCut *cut);
/* Says how many rows were left out, if any; `what`: "function". */
void fc_report_note_cut(const FcReportContext *context, const FcReportCut *cut, const char *what);

/* The function's name, with --details also its file and line.  The caller owns the result. */
char *fc_report_function(const FcReportContext *context, const FcFunction *function);

/* Prints a line in place of a table of functions without rows. */
void fc_report_no_function(const FcReportContext *context);

/* The sum of its functions' local times. */
guint64 fc_report_thread_local_ns(const FcProfileThread *thread);

/* The number of processes in all inputs.  *failed, if not NULL: how many were killed or exited with
 * a status other than 0.  In THREAD mode files count. */
guint64 fc_report_processes(const FcModel *model, guint64 *failed);

/* From the first process's start to the last one's end; 0: not known. */
guint64 fc_report_elapsed_ns(const FcModel *model);

/* Whether the function's local time is known. */
gboolean fc_report_is_local_known(const FcProfileFunction *figures);

/* Returns the column heading of times of that part, such as "CPU". */
const char *fc_report_time_name(FcTimePart part);

/* How the process ended; NULL where nothing is known of that.  The caller owns the result. */
char *fc_report_end(const FcProfile *header);

/* The programs of all inputs, each once, in order: a few of them and the number of the others, with
 * their paths or without; "" where none is known.  The caller owns the result. */
char *fc_report_programs(const FcModel *model, gboolean base_names);

/* The time of the calls that enter the cycle: no two of these can be active at once in one thread.
 */
guint64 fc_report_cycle_ns(const FcModel *model, guint cycle);
