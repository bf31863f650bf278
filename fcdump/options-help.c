/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of --help, from the tables of reports and of options; see options.h.
 */
#include "fcdump/options-table.h"

#include <string.h>

static const char *const titles[] = {
    [FC_GROUP_INPUT] = "Input",
    [FC_GROUP_REPORTS] = "Reports",
    [FC_GROUP_EXPORTS] = "Exports, in place of reports",
    [FC_GROUP_SELECT] = "What is shown, and in which order",
    [FC_GROUP_MEMORY] = "Memory",
    [FC_GROUP_DIFF] = "Differences",
    [FC_GROUP_NAMES] = "Names",
    [FC_GROUP_OTHER] = "Other",
};

/* `words` may have several lines. */
static void append_help(GString *text, const char *spelling, const char *words)
{
    const int column = 26;
    g_autofree char *next_line = g_strdup_printf("\n  %*s", column, "");
    g_auto(GStrv) lines = g_strsplit(words, "\n", -1);
    g_autofree char *help = g_strjoinv(next_line, lines);
    if ((int)strlen(spelling) + 2 > column)
        g_string_append_printf(text, "  %s\n  %*s%s\n", spelling, column, "", help);
    else
        g_string_append_printf(text, "  %-*s%s\n", column, spelling, help);
}

static void append_report_help(GString *text, const FcReport *const *reports, FcReportKind kind)
{
    for (guint i = 0; reports[i]; i++)
    {
        if (reports[i]->kind != kind)
            continue;
        g_autofree char *spelling = g_strdup_printf(kind == FC_REPORT_EXPORT ? "--%s"
                                                    : kind == FC_REPORT_FILE ? "--%s=FILE"
                                                                             : "--%s, --no-%s",
                                                    reports[i]->name, reports[i]->name);
        append_help(text, spelling, reports[i]->help);
    }
}

static void append_group_help(GString *text, FcOptionGroup group)
{
    for (guint i = 0; fc_option_table[i].name; i++)
    {
        const FcOption *option = &fc_option_table[i];
        if (option->group != group)
            continue;
        g_autofree char *spelling =
            !option->argument ? g_strdup_printf("--%s", option->name)
            : option->argument[0] == '['
                ? g_strdup_printf("--%s[=%s", option->name, option->argument + 1)
                : g_strdup_printf("--%s=%s", option->name, option->argument);
        append_help(text, spelling, option->help);
    }
}

char *fc_options_help(const FcReport *const *table)
{
    GString *text = g_string_new(
        "Usage: fcdump [OPTION]... [PROFILE]... [IMAGE]...\n"
        "       fcdump --diff [OPTION]... OLD... -- NEW...\n"
        "Show what a profile holds.  PROFILE is a .fc or .fcd file, functioncheck.fc if none is\n"
        "named, or the number of a process that is being profiled, which goes on; several are\n"
        "summed.  IMAGE is a program or library that moved since the run.\n"
        "Options may be spelled with one dash or two, arguments follow '=' or as the next word.\n");
    g_string_append(text, "\nThe first screen, printed where no other report is named:\n");
    append_report_help(text, table, FC_REPORT_SCREEN);
    append_report_help(text, table, FC_REPORT_BOTH);
    g_string_append(text, "\nThe classic report, printed where one of these is named:\n");
    append_report_help(text, table, FC_REPORT_CLASSIC);
    g_string_append(text, "\nMore reports:\n");
    append_report_help(text, table, FC_REPORT_ON_REQUEST);
    append_group_help(text, FC_GROUP_REPORTS);
    g_string_append_printf(text, "\n%s:\n", titles[FC_GROUP_EXPORTS]);
    append_report_help(text, table, FC_REPORT_EXPORT);
    append_report_help(text, table, FC_REPORT_FILE);
    append_group_help(text, FC_GROUP_EXPORTS);
    static const FcOptionGroup groups[] = {FC_GROUP_INPUT,  FC_GROUP_SELECT, FC_GROUP_DIFF,
                                           FC_GROUP_MEMORY, FC_GROUP_NAMES,  FC_GROUP_OTHER};
    for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
    {
        g_string_append_printf(text, "\n%s:\n", titles[groups[i]]);
        append_group_help(text, groups[i]);
    }
    g_string_append(text,
                    "\nExit status: 0 done, 1 some input could not be read or has not what "
                    "was asked\nfor, or the output could not be written, 2 wrong usage, 3 what "
                    "--fail-on,\n--fail-on-leak or --fail-on-bad-free is there to find.\n");
    return g_string_free(text, FALSE);
}
