/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcdump's command line.  All options stand in one table that the parser and --help read;
 * reports add theirs by their rows in the table of reports, which main hands in.  Called by main,
 * read by every report.  Never prints or exits: main does.
 */
#pragma once

#include "fcdump/render.h"
#include "model/stacks.h"
#include "symbols/symbols.h"

typedef enum
{
    FC_REPORT_ON_REQUEST,
    FC_REPORT_SCREEN,  /* on the first screen: printed if no other report is named */
    FC_REPORT_CLASSIC, /* printed with --classic, and if a report is named, unless --no-NAME */
    FC_REPORT_BOTH,    /* both of the above */
    FC_REPORT_OPTION,  /* printed where the option of its name, of the table of options, says so */
    FC_REPORT_EXPORT,  /* printed alone, for other programs */
    FC_REPORT_FILE,    /* --NAME=FILE: written to that file, in place of reports */
} FcReportKind;

struct FcReportContext; /* of report.h, which is above */

/* A row of the table of reports: its option --NAME, its place in the output and its line of
 * --help. */
typedef struct
{
    const char *name;
    const char *help;
    FcReportKind kind;
    void (*render)(const struct FcReportContext *context);
    gboolean of_arcs;    /* an export that can leave out contexts */
    gboolean shows_diff; /* it goes with --diff */
    gboolean is_text;    /* it has no table, so it does not go with --csv */
} FcReport;

/* An export to a file, as it was asked for. */
typedef struct
{
    guint row;  /* of the table of reports */
    char *path; /* "-": standard output */
} FcExportFile;

typedef enum
{
    FC_ACTION_REPORT,
    FC_ACTION_HELP,
    FC_ACTION_VERSION,
    FC_ACTION_CONTACT,
} FcAction;

typedef enum
{
    FC_SORT_DEFAULT, /* the report's own order, mostly by total time */
    FC_SORT_TOTAL,
    FC_SORT_LOCAL,
    FC_SORT_NAME,
    FC_SORT_CALLS,
    FC_SORT_MIN, /* of the total time of a call; lmin, lmax: of the local time */
    FC_SORT_MAX,
    FC_SORT_LMIN,
    FC_SORT_LMAX,
} FcSort;

/* What a row of the flat profile is. */
typedef enum
{
    FC_BY_FUNCTION,
    FC_BY_FILE,
    FC_BY_MODULE,
    FC_BY_THREAD,
    FC_BY_PROCESS,
} FcBy;

typedef enum
{
    FC_WHEN_AUTO, /* if the output is a terminal */
    FC_WHEN_ALWAYS,
    FC_WHEN_NEVER,
} FcWhen;

/* Levels of the calling-context tree that are shown by default: deeper ones are seldom of interest,
 * and they would fill the page. */
#define FC_DEPTH_DEFAULT 100

/* --all */
#define FC_TOP_ALL G_MAXINT

/* Columns: in fewer, tables have no room for a name. */
#define FC_WIDTH_LEAST 20

typedef struct
{
    const FcReport *const *table; /* as main handed it in */
    FcAction action;
    GPtrArray *operands; /* char *, owned; profiles and images as given */
    gboolean diff;       /* two sets of runs are compared: */
    GPtrArray *baseline; /* char *, owned: the runs before; `operands` are those after */
    GPtrArray *rules;    /* FcDiffRule *, owned: of --fail-on */
    gboolean markdown;
    gboolean csv;      /* one table, for programs: that of `reports` */
    GPtrArray *images; /* of --image */
    guint64 reports;   /* bit n: row n of the table */
    guint64 asked;     /* those asked for by name: they print a line even if they are empty */
    gboolean classic;  /* `reports` is no longer the first screen */
    gint export;       /* row of the export that is printed alone, or -1 */
    GArray *files;     /* FcExportFile */
    FcWeight weight;   /* of exports that have only one; valid if has_weight */
    gboolean has_weight;
    char *gmon;  /* the file that is written in place of reports, or NULL */
    char *merge; /* likewise: a profile of all ranks */
    gboolean by_rank;
    gboolean rank_tree; /* its contexts, in place of the tree */
    gint64 rank;        /* of --ranks, or FC_NONE */
    GPtrArray *peek;    /* patterns of --peek; `path` likewise */
    GPtrArray *path;
    FcBy by;
    FcSort sort;
    gboolean reverse;
    gboolean cumul;
    gboolean callers; /* the call graph lists callers */
    gboolean details;
    gboolean split;  /* copies of a header's function are separate */
    gboolean raw;    /* times as they were measured */
    FcTimePart time; /* valid if has_time; see fc_options_time */
    gboolean has_time;
    gboolean base_names;
    gboolean addresses; /* in place of names */
    FcDemangle demangle;
    gboolean whole_names; /* in reports, too */
    GPtrArray *only;      /* patterns: char *, owned */
    GPtrArray *except;
    GPtrArray *processes; /* numbers or patterns, like `threads`; empty: all */
    GPtrArray *threads;
    char *base; /* the function whose time is 100%, or NULL */
    gboolean propagate;
    gboolean rpropagate;
    guint depth; /* levels of the calling-context tree; FC_DEPTH_DEFAULT: none given; 0: all */
    guint64 min_time_ns; /* of the trace: the least time of a call, */
    guint64 last_ns;     /* and the time before its end; 0: all */
    double min_percent;
    gboolean has_min;        /* --min was given */
    double suggest_percent;  /* of --suggest-filter */
    gboolean suggests;       /* --suggest-filter was given */
    guint top;               /* rows of each report; 0: the report's own limit */
    GPtrArray *suppressions; /* files: char *, owned */
    gboolean no_built_in;    /* the built-in ones are not used */
    gboolean reachable;      /* leaks include what the program could still reach */
    gboolean fail_on_leak;
    gboolean fail_on_bad_free;
    FcWhen color;
    gint width;  /* columns; 0: no limit; -1: those of the terminal */
    FcUnit unit; /* of times */
    gboolean debug;
} FcOptions;

/* `table`: the reports, at most 64, ended by a row without a name; it must outlive the result.
 * NULL and `error` (its message says what is wrong with which option) where the command line can't
 * be understood.  The caller owns the result. */
FcOptions *fc_options_parse(const FcReport *const *table, int argc, char **argv, GError **error);
void fc_options_free(FcOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcOptions, fc_options_free)

/* The text of --help; the caller owns it. */
char *fc_options_help(const FcReport *const *table);

/* The part of the times that is shown, unless --time says: on the CPU in reports, drawings of the
 * call graph and gmon.out files; elapsed in exports that hold both. */
FcTimePart fc_options_time(const FcOptions *options);
