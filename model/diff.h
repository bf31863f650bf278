/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The difference between two sets of runs: of each function and each calling context the figures
 * before and after, and which changes are more than noise.  Made by fcdump/compare.c, which
 * hands in a model for each run; read by the reports of differences.  Never prints.
 *
 * Functions are matched by linkage name and module, static ones by the source file's name as well,
 * unless either side has only one of the name; contexts by the functions on their way.  Neither
 * addresses nor build-ids need be the same.
 */
#pragma once

#include "model/stacks.h"
#include "model/statistics.h"

typedef enum
{
    FC_DIFF_CALLS,
    FC_DIFF_TOTAL,    /* ns; of the whole: from the first to the last event, of all processes */
    FC_DIFF_LOCAL,    /* ns; of the whole: of all functions */
    FC_DIFF_PER_CALL, /* total of a call, ns */
    FC_DIFF_BYTES,    /* allocated by the function itself; of a context also below it */
    FC_DIFF_METRICS,
} FcDiffMetric;

typedef enum
{
    FC_DIFF_BEFORE,
    FC_DIFF_AFTER,
    FC_DIFF_SIDES,
} FcDiffSide;

typedef enum
{
    FC_VERDICT_SAME,    /* no difference */
    FC_VERDICT_NOISE,   /* not more than what runs differ by anyway, or too short to tell */
    FC_VERDICT_UNKNOWN, /* a time of one run on either side: nobody knows how much runs differ */
    FC_VERDICT_FOUND,
} FcDiffVerdict;

/* By how much the means differ. */
typedef struct
{
    double before;
    double after;
    double change;
    double margin; /* the interval is change - margin to change + margin; 0: the figures are
                      exact, or nothing is known of it */
    FcDiffVerdict verdict;
} FcDiffChange;

/* The values of all runs, before and after; of a run without the function 0. */
typedef FcMoments FcDiffFigure[FC_DIFF_SIDES];

typedef struct
{
    char *name;                  /* whole; after the change, if it is there then; as the next: */
    const char *label;           /* what reports show; interned */
    char *raw_name;              /* linkage name; NULL: not known */
    char *module;                /* base name of the file; NULL: none */
    char *files[FC_DIFF_SIDES];  /* the path of the one source file that has it, or NULL */
    gboolean shown;              /* by the selection */
    gboolean judged;             /* its times are not too short to be told from noise */
    guint filled[FC_DIFF_SIDES]; /* of so many runs are the figures; after fc_diff_judge of all */
    FcDiffFigure figures[FC_DIFF_METRICS];
    double variance[FC_DIFF_METRICS][FC_DIFF_SIDES]; /* where they are estimates, the largest */
} FcDiffFunction;

typedef struct
{
    gint parent;   /* FC_NONE: the root, node 0 */
    gint function; /* of the difference; FC_STACK_... of stacks.h; FC_NONE: the root */
    gboolean judged;
    guint filled[FC_DIFF_SIDES];
    FcDiffFigure figures[FC_DIFF_METRICS];
} FcDiffContext;

/* At most this share of the changes that are reported is expected to be noise.  If nothing changed,
 * this share of comparisons reports anything. */
#define FC_DIFF_RATE 0.01

/* The fewest runs of each side with which times mean something: with two, Student's t is 9.9 at the
 * rate above. */
#define FC_DIFF_RUNS_LEAST 3u

typedef struct
{
    guint runs[FC_DIFF_SIDES];
    FcTimePart time;   /* which part of them all times are */
    GArray *functions; /* FcDiffFunction */
    GArray *contexts;  /* FcDiffContext, a parent before its children; NULL: not wanted */
    gboolean memory;   /* bytes were recorded in all runs; else */
    char *no_memory;   /* a profile of the first in which they were not */
    gboolean estimated;
    FcDiffFunction whole;          /* name: NULL */
    GArray *locals[FC_DIFF_SIDES]; /* guint64: of each run the local time of the whole, ns */
    double level;                  /* at which each change of a function is tested; */
    double context_level;          /* of a context */
    GHashTable *known;             /* while runs are added: functions by key; and contexts */
    GHashTable *known_contexts;
} FcDiff;

/* The caller owns it.  Runs are added in any order, at least one on either side, then it is
 * judged; before that there are no changes to ask for. */
FcDiff *fc_diff_new(gboolean with_contexts);
void fc_diff_free(FcDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcDiff, fc_diff_free)

/* Adds a run, whose model may be freed then.  One selection must have been made in all. */
void fc_diff_add_run(FcDiff *diff, FcDiffSide side, const FcModel *model);

/* `least_share`: functions and contexts with a smaller part of the whole are not judged by their
 * times. */
void fc_diff_judge(FcDiff *diff, double least_share);

/* The change of a function, tested at `level`: that of `diff`, or of a choice of its functions by
 * fc_diff_level. */
FcDiffChange fc_diff_change(const FcDiff *diff, const FcDiffFunction *function, FcDiffMetric metric,
                            double level);
FcDiffChange fc_diff_context_change(const FcDiff *diff, const FcDiffContext *context,
                                    FcDiffMetric metric);

/* The probability of such a change by chance.  FALSE: the figures are exact, or it is not known how
 * much runs differ. */
gboolean fc_diff_tail(const FcDiff *diff, const FcDiffFunction *function, FcDiffMetric metric,
                      double *tail);

/* `row_of` gets the function of the difference for each of the model's; what is new is added. */
void fc_diff_match(FcDiff *diff, FcDiffSide side, const FcModel *model, guint *row_of);

/* The words for metrics in rules, JSON and tables: "calls", "total", ... */
const char *fc_diff_metric_name(FcDiffMetric metric);
gboolean fc_diff_is_time(FcDiffMetric metric);

static inline const FcDiffFunction *fc_diff_function(const FcDiff *diff, guint index)
{
    return &g_array_index(diff->functions, FcDiffFunction, index);
}
static inline const FcDiffContext *fc_diff_context(const FcDiff *diff, guint index)
{
    return &g_array_index(diff->contexts, FcDiffContext, index);
}
/* Name of a context's function; belongs to `diff` or is constant. */
const char *fc_diff_context_name(const FcDiff *diff, const FcDiffContext *context);
/* The same as reports show it. */
const char *fc_diff_context_label(const FcDiff *diff, const FcDiffContext *context);
