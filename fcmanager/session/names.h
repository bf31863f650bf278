/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Expands FC_DUMP_NAME for one process.  Called by files.c only.  Nothing that comes from outside
 * can make the name a path.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gint64 id;           /* %p: of the process, or of the thread whose profile it is */
    const char *program; /* %n: path of its executable; NULL: not known */
    gint64 started;      /* %t: of the session, seconds since the epoch */
    const char *rank;    /* %r */
    const char *job;     /* %j; NULL: not known */
} FcNameFacts;

/* Returns the base name, without .fc or .fcd.  An unknown %-sequence stays as it is.  The caller
 * frees the result. */
char *fc_names_expand(const char *pattern, const FcNameFacts *facts);

/* Whether the pattern has %j. */
gboolean fc_names_have_job(const char *pattern);

/* Whether the pattern alone gives processes of a session different names. */
gboolean fc_names_have_id(const char *pattern);

/* The name that the profile or descriptor `name` gets when it is the `age`th before the newest.
 * The caller frees it. */
char *fc_names_older(const char *name, guint age);
