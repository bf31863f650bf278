/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How far reading has come, on the terminal: a line that is written over.  Used by main; writes
 * to standard error alone, and nothing where that is no terminal or reading takes no time.
 */
#pragma once

#include "profile/fc-profile-file.h"

typedef struct
{
    FcProgress progress; /* what reads profiles is given */
    gint64 next_us;      /* when the line is written again */
    gboolean is_out;     /* there is one */
} FcProgressLine;

/* Begins to wait.  NULL where there is nobody to look at it; otherwise valid as long as `line`. */
const FcProgress *fc_progress_start(FcProgressLine *line);
/* Takes the line away. */
void fc_progress_end(FcProgressLine *line);
