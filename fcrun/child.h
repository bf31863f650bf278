/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a program as a shell does in the foreground: it has the terminal and the signals.  Called by
 * main.c; never prints.  One at a time, as it has the process's signal handlers.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gint status; /* as a shell has it: 128 and the signal for one that was killed */
    gint signal; /* that killed it; 0: none */
    gint64 elapsed_us;
    gint64 cpu_us; /* with the children that it waited for */
} FcChild;

/* What env and timeout exit with where a program can't be run. */
#define FC_CHILD_NOT_RUN 126
#define FC_CHILD_NOT_FOUND 127

/* Runs words[0] in `environment` and waits for its end.  A signal that was sent to the caller alone
 * is passed on.  FALSE, with child->status set to one of these two: it can't be run. */
gboolean fc_child_run(char **words, char **environment, FcChild *child, GError **error);
