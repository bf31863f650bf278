/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Suppressions: what is known and not to be reported.  Their files have the form of
 * LeakSanitizer's; the manual describes it.  Read by main, asked by memory.c.  Never prints.
 */
#pragma once

#include <glib.h>

typedef enum
{
    FC_SUPPRESS_LEAK,
    FC_SUPPRESS_DIRECT, /* leaks, by what called the allocator itself */
    FC_SUPPRESS_EARLY,  /* leaks of what was allocated before libfc started */
    FC_SUPPRESS_FREE,   /* bad frees and reallocs */
} FcSuppressKind;

/* What stands before the colon. */
const char *fc_suppress_kind_name(FcSuppressKind kind);

/* A line of a file. */
typedef struct
{
    FcSuppressKind kind;
    char *pattern;
    const char *source;    /* name of its file; "built in" */
    gboolean of_libraries; /* a built-in one: about frames in the C and C++ libraries alone */
    guint64 hits;          /* leaks: blocks; else frees */
    guint64 hit_bytes;
} FcSuppression;

typedef struct FcSuppressions FcSuppressions;

/* With `built_in` begins with what glibc and libstdc++ keep on purpose. */
FcSuppressions *fc_suppressions_new(gboolean built_in);
void fc_suppressions_free(FcSuppressions *suppressions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcSuppressions, fc_suppressions_free)

/* FALSE and `error` ("PATH: line N: reason") where the file can't be read or a line is not
 * understood; the lines before it count. */
gboolean fc_suppressions_load(FcSuppressions *suppressions, const char *path, GError **error);

/* The first rule of `kind` whose pattern fits one of `names` (NULL-terminated), or NULL;
 * `library_names`: those of them that built-in rules may fit, as they are the libraries' own. */
FcSuppression *fc_suppressions_find(FcSuppressions *suppressions, FcSuppressKind kind,
                                    const char *const *names, const char *const *library_names);

/* All rules, in order: FcSuppression.  Owned by `suppressions`. */
const GPtrArray *fc_suppressions_rules(const FcSuppressions *suppressions);

/* Whether `pattern` fits `text`: anywhere in it; * stands for anything, ^ at the start and $ at
 * the end tie it to that end. */
gboolean fc_suppress_fits(const char *pattern, const char *text);
