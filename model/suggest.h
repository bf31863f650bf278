/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions to leave out of a profile so that its hooks take little beside the program, and
 * what that is to bring.  By the calls of the profile and the costs of a call that it holds.
 */
#pragma once

#include "model/model.h"

typedef enum
{
    FC_SUGGEST_FILTER,   /* FC_FILTER: a skipped call costs what a counted one does */
    FC_SUGGEST_COMPILED, /* -finstrument-functions-exclude-function-list: it costs nothing; where
                            that is without effect the attribute, which does the same by name */
    FC_SUGGEST_WAYS,
} FcSuggestWay;

/* What a run would be like. */
typedef struct
{
    guint64 calls;    /* that would be in the profile */
    double cost_ns;   /* of the hooks */
    double percent;   /* the same of `FcSuggestion.plain_ns` */
    double hidden_ns; /* of the time of functions on the CPU: of those that have no row */
} FcSuggestRun;

typedef struct
{
    FcSuggestRun run;
    GPtrArray *names;  /* char *: what to leave out, as that way wants it, without quoting */
    GPtrArray *others; /* char *: functions that go with them as their names contain one */
    gboolean reached;  /* the percentage that was asked for */
} FcSuggested;

/* What the hooks of one source file's functions took. */
typedef struct
{
    const char *file; /* of the model's symbols; NULL: not known */
    guint functions;
    guint64 calls;
    double cost_ns;
} FcSuggestFile;

typedef struct
{
    FcSuggestRun now;
    double plain_ns;         /* time of all functions on the CPU, without hooks */
    gboolean after_inlining; /* gcc instrumented some of the functions then */
    gboolean lacks_option;   /* that, or clang compiled some of them: the option is no use */
    FcSuggested ways[FC_SUGGEST_WAYS];
    GArray *files; /* FcSuggestFile, the dearest first: where no few functions can be named */
} FcSuggestion;

/* `now` costs the overhead that was subtracted from the times of functions.  It is divided among
 * the calls in proportion to what such calls cost when the process started.  NULL where the profile
 * does not hold what calls cost, or the model (--time=wait) no time on the CPU.  Times must be
 * without what hooks took (not
 * --raw). Where `now` is below `percent` the ways are empty.  The caller owns the result. */
FcSuggestion *fc_suggest(const FcModel *model, double percent);
void fc_suggestion_free(FcSuggestion *suggestion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcSuggestion, fc_suggestion_free)
