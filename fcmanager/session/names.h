/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What FC_DUMP_NAME says, for one process.  Called by files.c alone.  Nothing that comes from
 * outside makes it a path.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gint64 id;           /* %p: of the process, or of the thread whose profile it is */
    const char *program; /* %n: path of its executable; NULL: not known */
    gint64 started;      /* %t: of the session, seconds since the epoch */
    const char *rank;    /* %r */
} FcNameFacts;

/* The base name, which ends in neither .fc nor .fcd yet.  What begins with % and is not known stays
 * as it is.  For the caller to free. */
char *fc_names_expand(const char *pattern, const FcNameFacts *facts);

/* Whether processes of one session get different names by themselves. */
gboolean fc_names_have_id(const char *pattern);

/* What the profile or descriptor `name` is called when it is the `age`th before the newest.  For
 * the caller to free. */
char *fc_names_older(const char *name, guint age);
