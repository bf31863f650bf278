/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far reading has come, on the terminal: a line that is written over.  Used by main; writes
 * to standard error alone, and nothing where that is no terminal or reading takes no time.
 */
#pragma once

#include "profile/fc-profile-file.h"

typedef struct
{
    FcProgress progress; /* for the functions that read profiles */
    gint64 next_us;      /* time of the next update */
    gboolean is_out;     /* the line is on the terminal */
} FcProgressLine;

/* Begins to wait.  NULL if nobody can see the line; otherwise valid as long as `line`. */
const FcProgress *fc_progress_start(FcProgressLine *line);
/* Erases the line. */
void fc_progress_end(FcProgressLine *line);
