/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of --help, from the table of options.
 */
#include "fcgprof/options-table.h"
#include "fcgprof/options.h"

#define COLUMN 38

static void append_option(GString *text, const FcGOption *option)
{
    g_autoptr(GString) line = g_string_new(option->letter < 256 ? "  -" : "      ");
    if (option->letter < 256)
        g_string_append_printf(line, "%c%s", option->letter, option->name ? ", " : "");
    if (option->name)
        g_string_append_printf(line, "--%s", option->name);
    if (option->argument && option->argument[0] == '[')
        g_string_append_printf(line, "[=%s", option->argument + 1);
    else if (option->argument)
        g_string_append_printf(line, "%c%s", option->name ? '=' : ' ', option->argument);
    if (line->len + 2 > COLUMN)
        g_string_append_printf(text, "%s\n%*s%s\n", line->str, COLUMN, "", option->help);
    else
        g_string_append_printf(text, "%-*s%s\n", COLUMN, line->str, option->help);
}

char *fc_goptions_usage(void)
{
    static const char *const titles[FC_GGROUPS] = {
        [FC_GGROUP_REPORTS] = "Reports",
        [FC_GGROUP_COUNTED] = "What is counted",
        [FC_GGROUP_LOOK] = "How it looks",
        [FC_GGROUP_OTHER] = "Other",
    };
    GString *text = g_string_new(
        "usage: fcgprof [OPTION]... [IMAGE [PROFILE]...]\n"
        "Reports where a program spent its time, from the gmon.out files that it wrote, or\n"
        "from the .fc and .fcd files that FunctionCheck made: from these with times that\n"
        "were measured, and without need of an IMAGE.\n"
        "IMAGE is a.out and PROFILE gmon.out if not given, or functioncheck.fc where only\n"
        "that is there; \"-\" is standard input.\n"
        "SPEC is [FILE:]FUNCTION or [FILE:]LINE; ARC is SPEC/SPEC.\n");
    for (guint group = 0; group < FC_GGROUPS; group++)
    {
        g_string_append_printf(text, "\n%s:\n", titles[group]);
        for (const FcGOption *option = fc_goption_table; option->letter; option++)
            if (option->group == group)
                append_option(text, option);
    }
    return g_string_free(text, FALSE);
}
