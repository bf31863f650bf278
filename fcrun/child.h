/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a program as a shell does in the foreground: the program has the terminal and gets the
 * signals.  Called by main.c.  Never prints.  Runs one program at a time, since it sets the
 * process's signal handlers.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gint status; /* as in a shell: 128 plus the signal if it was killed */
    gint signal; /* the signal that killed it; 0: none */
    gint64 elapsed_us;
    gint64 cpu_us; /* including children that it waited for */
} FcChild;

/* The exit status of env and timeout if a program can't be run. */
#define FC_CHILD_NOT_RUN 126
#define FC_CHILD_NOT_FOUND 127

/* Runs words[0] in `environment` and waits for its end.  A signal that was sent to the caller alone
 * is passed on.  FALSE, with child->status set to one of these two: it can't be run. */
gboolean fc_child_run(char **words, char **environment, FcChild *child, GError **error);
