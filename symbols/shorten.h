/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a demangled name to the short one that reports show: "SkipList<...>::Find" in place of
 * "leveldb::SkipList<char const*, leveldb::MemTable::KeyComparator>::Find".  Called by
 * model/labels.c, which gives back what tells two functions apart.  Any thread.
 */
#pragma once

#include <glib.h>

/* Template arguments of so many characters stay. */
#define FC_SHORTEN_ARGUMENTS 12

typedef struct
{
    gboolean ascii;       /* "<...>" in place of "‹…›" */
    const char *home;     /* the namespace of the program's own functions, left out; or NULL */
    const char *location; /* "FILE:LINE" that a lambda begins at; NULL: not known */
    guint arguments;      /* of template arguments so many characters stay: FC_SHORTEN_ARGUMENTS */
    gboolean scopes;      /* all scopes stay */
    gboolean clones;      /* what the compiler appended to the name of a copy stays */
    gboolean ordinals;    /* the numbers of lambdas stay */
} FcShorten;

/* The short form of `name`, which has no parameters, but as part of a scope.  What can't be read
 * stays as it is.  The caller owns the result. */
char *fc_shorten_name(const char *name, const FcShorten *how);

/* The parameters of `name`, shortened by the same rules: "(int, std::string)"; NULL: there are
 * none.  The caller owns the result. */
char *fc_shorten_parameters(const char *name, const FcShorten *how);

/* `name` without template arguments, parameters and clones: "store::Log::put".  The caller owns the
 * result. */
char *fc_shorten_bare(const char *name);

/* The outermost scope of `name`: its namespace, or its class; NULL: it has none.  `is_nested`,
 * which may be NULL: whether there is another scope in it.  The caller owns the result. */
char *fc_shorten_outermost(const char *name, gboolean *is_nested);

/* Behind the outermost scope of `name`, long or short: behind its "::", or its " › "; NULL: it has
 * none. */
const char *fc_shorten_behind_scope(const char *name);

/* `name`, short already, with its first `count` parameters, `ellipsis` for the others: "put(int,
 * ...)". NULL: it has no more.  The caller owns the result. */
char *fc_shorten_fewer_parameters(const char *name, guint count, const char *ellipsis);

/* `name`, short already, with `mark` in place of the template arguments of its function:
 * "visit<...>(int)".  NULL: it has none, or none that are longer.  The caller owns the result. */
char *fc_shorten_without_arguments(const char *name, const char *mark);

/* Whether the function's own parameters are shown: "put(int)", "put()". */
gboolean fc_shorten_has_parameters(const char *name);

/* Whether it is a lambda or closure, or runs within OpenMP: its line tells more than its name. */
gboolean fc_shorten_is_lambda(const char *name);
