/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory reports.  Profiles do not carry memory records yet, so that each says how
 * to get some.
 */
#include "fcdump/report.h"

static void print_none(const FcReportContext *context, const char *title)
{
    fc_render_title(context->render, "%s", title);
    fc_render_line(context->render, "The profile has no memory records: run with FC_MEMORY=1.");
}

void fc_report_leaks(const FcReportContext *context)
{
    print_none(context, "Memory leaks");
}

void fc_report_bad_frees(const FcReportContext *context)
{
    print_none(context, "Invalid pointers given to free");
}

void fc_report_bad_reallocs(const FcReportContext *context)
{
    print_none(context, "Invalid pointers given to realloc");
}
