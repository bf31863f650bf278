/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line of progress; see progress.h.
 */
#include "fcdump/progress.h"

#include "fcdump/render.h"

#include <stdio.h>
#include <unistd.h>

enum
{
    PROGRESS_AFTER_US = 1000000, /* what takes less is not worth a line */
    PROGRESS_EVERY_US = 200000,
};

static void show(gpointer data, const char *path, guint64 done, guint64 total)
{
    FcProgressLine *line = data;
    const gint64 now_us = g_get_monotonic_time();
    if (now_us < line->next_us)
        return;
    line->next_us = now_us + PROGRESS_EVERY_US;
    line->is_out = TRUE;
    g_autofree char *name = fc_format_text(path);
    g_autofree char *read = fc_format_bytes(done);
    if (total > 0)
        fprintf(stderr, "\rfcdump: %s: read %.0f%% of ", name,
                100.0 * (double)MIN(done, total) / (double)total);
    else
        fprintf(stderr, "\rfcdump: %s: read ", name);
    g_autofree char *whole = fc_format_bytes(total);
    fprintf(stderr, "%s\033[K", total > 0 ? whole : read);
    fflush(stderr);
}

const FcProgress *fc_progress_start(FcProgressLine *line)
{
    line->progress = (FcProgress){show, line};
    line->next_us = g_get_monotonic_time() + PROGRESS_AFTER_US;
    line->is_out = FALSE;
    return isatty(STDERR_FILENO) ? &line->progress : NULL;
}

void fc_progress_end(FcProgressLine *line)
{
    if (line->is_out)
        fputs("\r\033[K", stderr);
}
