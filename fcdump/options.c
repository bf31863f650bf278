/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcdump's command line; see options.h.  Every option is accepted with one dash or
 * two, its argument behind '=' or as the next word.
 */
#include "fcdump/options.h"

#include "fcdump/words.h"

#include <string.h>

typedef struct Option Option;
struct Option
{
    const char *name;
    const char *alias;    /* another name, or NULL */
    const char *argument; /* "LIST"; "[STYLE]": may be left out; NULL: none */
    const char *help;
    const char *group;
    gboolean (*apply)(FcOptions *options, const Option *option, const char *argument,
                      GError **error);
    gsize offset; /* of the member of FcOptions that `apply` sets */
    gint value;   /* to what */
};

static gboolean fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean fail(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
    return FALSE;
}

/* ---- What options do --------------------------------------------------------- */

static gboolean apply_value(FcOptions *options, const Option *option, const char *argument,
                            GError **error)
{
    G_STRUCT_MEMBER(gint, options, option->offset) = option->value;
    return TRUE;
}

/* --sort, and with a `value` --rsort. */
static gboolean apply_sort(FcOptions *options, const Option *option, const char *argument,
                           GError **error)
{
    static const char *const words[] = {"total", "local", "name", "calls", "min",
                                        "max",   "lmin",  "lmax", NULL};
    gint found = FC_SORT_TOTAL;
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->sort = (FcSort)found;
    options->reverse = option->value;
    return TRUE;
}

static gboolean apply_weight(FcOptions *options, const Option *option, const char *argument,
                             GError **error)
{
    const char *words[FC_WEIGHTS + 1] = {NULL};
    gint found = 0;
    for (FcWeight weight = 0; weight < FC_WEIGHTS; weight++)
        words[weight] = fc_weight_name(weight);
    if (!fc_words_find(words, argument, option->name, &found, error))
        return FALSE;
    options->weight = (FcWeight)found;
    return TRUE;
}

static gboolean apply_cumul(FcOptions *options, const Option *option, const char *argument,
                            GError **error)
{
    options->cumul = TRUE;
    options->sort = FC_SORT_LOCAL;
    options->reverse = FALSE;
    return TRUE;
}

static gboolean apply_color(FcOptions *options, const Option *option, const char *argument,
                            GError **error)
{
    static const char *const words[] = {"auto", "always", "never", NULL};
    gint found = FC_WHEN_AUTO;
    if (!fc_words_find(words, argument ? argument : "always", option->name, &found, error))
        return FALSE;
    options->color = (FcWhen)found;
    return TRUE;
}

/* The styles are those of the original; names tell by themselves which one they
 * are of.  Only whether parameters are shown is left to choose. */
static gboolean apply_demangle(FcOptions *options, const Option *option, const char *argument,
                               GError **error)
{
    static const char *const words[] = {"auto", "gnu", "java", "ansi", "params", "none", NULL};
    static const FcDemangle meanings[] = {FC_DEMANGLE_PLAIN,  FC_DEMANGLE_PLAIN,  FC_DEMANGLE_PLAIN,
                                          FC_DEMANGLE_PARAMS, FC_DEMANGLE_PARAMS, FC_DEMANGLE_NONE};
    gint found = 0;
    if (!fc_words_find(words, argument ? argument : "auto", option->name, &found, error))
        return FALSE;
    options->demangle = meanings[found];
    return TRUE;
}

static gboolean apply_string(FcOptions *options, const Option *option, const char *argument,
                             GError **error)
{
    if (*argument == '\0')
        return fail(error, "--%s: a name is missing", option->name);
    g_ptr_array_add(G_STRUCT_MEMBER(GPtrArray *, options, option->offset), g_strdup(argument));
    return TRUE;
}

static gboolean apply_gmon(FcOptions *options, const Option *option, const char *argument,
                           GError **error)
{
    if (*argument == '\0')
        return fail(error, "--%s: a name is missing", option->name);
    g_free(options->gmon);
    options->gmon = g_strdup(argument);
    return TRUE;
}

static gboolean apply_list(FcOptions *options, const Option *option, const char *argument,
                           GError **error)
{
    GPtrArray *list = G_STRUCT_MEMBER(GPtrArray *, options, option->offset);
    fc_words_split(argument, list);
    return list->len > 0 || fail(error, "--%s: the list is empty", option->name);
}

static gboolean apply_number(FcOptions *options, const Option *option, const char *argument,
                             GError **error)
{
    guint64 number = 0;
    if (!g_ascii_string_to_unsigned(argument, 10, 0, G_MAXINT, &number, NULL))
        return fail(error, "--%s: '%s' is no number", option->name, argument);
    G_STRUCT_MEMBER(gint, options, option->offset) = (gint)number;
    return TRUE;
}

static gboolean apply_percent(FcOptions *options, const Option *option, const char *argument,
                              GError **error)
{
    char *end = NULL;
    double percent = g_ascii_strtod(argument, &end);
    if (end == argument || (*end != '\0' && strcmp(end, "%") != 0) ||
        !(percent >= 0 && percent <= 100))
        return fail(error, "--%s: '%s' is no percentage", option->name, argument);
    options->min_percent = percent;
    return TRUE;
}

static guint64 reports_named(const FcReport *reports, const char *start, FcReportKind kind)
{
    guint64 set = 0;
    for (guint i = 0; reports[i].name; i++)
        if (reports[i].kind == kind && g_str_has_prefix(reports[i].name, start))
            set |= G_GUINT64_CONSTANT(1) << i;
    return set;
}

static gboolean apply_memory(FcOptions *options, const Option *option, const char *argument,
                             GError **error)
{
    guint64 set = reports_named(options->table, "mem-", FC_REPORT_DEFAULT) |
                  reports_named(options->table, "mem-", FC_REPORT_ON_REQUEST);
    options->reports = option->value ? options->reports | set : options->reports & ~set;
    options->asked = option->value ? options->asked | set : options->asked & ~set;
    return TRUE;
}

static gboolean apply_rgraph(FcOptions *options, const Option *option, const char *argument,
                             GError **error)
{
    options->callers = TRUE;
    options->reports |= reports_named(options->table, "graph", FC_REPORT_DEFAULT);
    return TRUE;
}

static gboolean apply_no_reports(FcOptions *options, const Option *option, const char *argument,
                                 GError **error)
{
    options->reports = 0;
    return TRUE;
}

/* ---- The table --------------------------------------------------------------- */

#define MEMBER(name) offsetof(FcOptions, name)

static const char input_group[] = "Input";
static const char reports_group[] = "Reports";
static const char exports_group[] = "Exports, in place of reports";
static const char select_group[] = "What is shown, and in which order";
static const char memory_group[] = "Memory";
static const char names_group[] = "Names";
static const char other_group[] = "Other";

static const Option known[] = {
    {"pfile", NULL, "FILE", "a profile, as if it stood alone", input_group, apply_string,
     MEMBER(operands), 0},
    {"image", NULL, "PATH",
     "the program or library as it is now; RECORDED=PATH: in place of "
     "RECORDED",
     input_group, apply_string, MEMBER(images), 0},
    {"gmon", NULL, "FILE",
     "a gmon.out file of the program, or of the modules of --image, for gprof", exports_group,
     apply_gmon, 0, 0},
    {"weight", NULL, "TYPE",
     "time (default), calls, bytes, blocks, live-bytes, -blocks, peak-bytes", exports_group,
     apply_weight, 0, 0},
    {"whole-graph", NULL, NULL, "--dot draws all functions and arcs, however many", exports_group,
     apply_value, MEMBER(whole_graph), TRUE},
    {"rgraph", NULL, NULL, "call graph by callers in place of callees", reports_group, apply_rgraph,
     0, 0},
    {"memory", NULL, NULL, "all memory reports", reports_group, apply_memory, 0, TRUE},
    {"no-memory", NULL, NULL, "no memory report", reports_group, apply_memory, 0, FALSE},
    {"no-reports", NULL, NULL, "nothing but what options after this one name", reports_group,
     apply_no_reports, 0, 0},
    {"sort", NULL, "TYPE", "order: total (default), local, name, calls, min, max, lmin, lmax",
     select_group, apply_sort, 0, FALSE},
    {"rsort", NULL, "TYPE", "the same, reversed", select_group, apply_sort, 0, TRUE},
    {"cumul", NULL, NULL, "by local time, with its cumulated share", select_group, apply_cumul, 0,
     0},
    {"only", NULL, "LIST", "only these functions: names, patterns (*?[]), 0xADDRESSES, by commas",
     select_group, apply_list, MEMBER(only), 0},
    {"not", NULL, "LIST", "all but these", select_group, apply_list, MEMBER(except), 0},
    {"propagate", NULL, NULL, "--only and --not reach to all that these call", select_group,
     apply_value, MEMBER(propagate), TRUE},
    {"rpropagate", NULL, NULL, "... to all that call these", select_group, apply_value,
     MEMBER(rpropagate), TRUE},
    {"depth", NULL, "N", "the calling-context tree to N levels (default 100; 0: all)", select_group,
     apply_number, MEMBER(depth), 0},
    {"min", NULL, "PERCENT", "leave out what takes less of the whole", select_group, apply_percent,
     0, 0},
    {"reachable", NULL, NULL, "leaks: blocks that the program could still reach, too", memory_group,
     apply_value, MEMBER(reachable), TRUE},
    {"suppress", NULL, "FILE", "leaks and bad frees that are known (FC_SUPPRESS: another FILE)",
     memory_group, apply_string, MEMBER(suppressions), 0},
    {"no-built-in", NULL, NULL, "no suppression of what the C and C++ libraries keep", memory_group,
     apply_value, MEMBER(no_built_in), TRUE},
    {"fail-on-leak", NULL, NULL, "exit status 3 if anything leaked", memory_group, apply_value,
     MEMBER(fail_on_leak), TRUE},
    {"fail-on-bad-free", NULL, NULL, "exit status 3 if there was a bad free", memory_group,
     apply_value, MEMBER(fail_on_bad_free), TRUE},
    {"details", NULL, NULL, "file and line, each call site, all threads' functions", names_group,
     apply_value, MEMBER(details), TRUE},
    {"raw", NULL, NULL, "times as measured, with what the hooks took", names_group, apply_value,
     MEMBER(raw), TRUE},
    {"basename", NULL, NULL, "files without their folders", names_group, apply_value,
     MEMBER(base_names), TRUE},
    {"no-names", NULL, NULL, "addresses in place of names", names_group, apply_value,
     MEMBER(addresses), TRUE},
    {"force-names", NULL, NULL, "names again", names_group, apply_value, MEMBER(addresses), FALSE},
    {"demangle", NULL, "[STYLE]", "auto (default), gnu, java; with parameters: ansi, params; none",
     names_group, apply_demangle, 0, 0},
    {"demangle-gnu", NULL, NULL, "as --demangle=gnu", names_group, apply_value, MEMBER(demangle),
     FC_DEMANGLE_PLAIN},
    {"demangle-java", NULL, NULL, "as --demangle=java", names_group, apply_value, MEMBER(demangle),
     FC_DEMANGLE_PLAIN},
    {"demangle-ansi", NULL, NULL, "as --demangle=ansi", names_group, apply_value, MEMBER(demangle),
     FC_DEMANGLE_PARAMS},
    {"demangle-params", NULL, NULL, "with parameters", names_group, apply_value, MEMBER(demangle),
     FC_DEMANGLE_PARAMS},
    {"no-demangle", NULL, NULL, "linkage names", names_group, apply_value, MEMBER(demangle),
     FC_DEMANGLE_NONE},
    {"color", "colour", "[WHEN]", "auto (default: on a terminal), always, never", other_group,
     apply_color, 0, 0},
    {"debug", NULL, NULL, "say on standard error what is read", other_group, apply_value,
     MEMBER(debug), TRUE},
    {"help", "h", NULL, "this text", other_group, apply_value, MEMBER(action), FC_ACTION_HELP},
    {"version", "V", NULL, "the version", other_group, apply_value, MEMBER(action),
     FC_ACTION_VERSION},
    {"contact", NULL, NULL, "where to report a fault", other_group, apply_value, MEMBER(action),
     FC_ACTION_CONTACT},
};

/* ---- Parsing ----------------------------------------------------------------- */

/* --NAME and --no-NAME of the reports.  FALSE where `name` is none of these. */
static gboolean apply_report(FcOptions *options, const char *name)
{
    gboolean off = g_str_has_prefix(name, "no-");
    const char *report = off ? name + 3 : name;
    const FcReport *reports = options->table;
    for (guint i = 0; reports[i].name; i++)
    {
        if (strcmp(reports[i].name, report) != 0)
            continue;
        guint64 bit = G_GUINT64_CONSTANT(1) << i;
        if (reports[i].kind == FC_REPORT_FILE)
            return FALSE;
        if (reports[i].kind != FC_REPORT_EXPORT)
        {
            options->reports = off ? options->reports & ~bit : options->reports | bit;
            options->asked = off ? options->asked & ~bit : options->asked | bit;
        }
        else if (!off)
            options->export = (gint)i;
        else
            return FALSE;
        if (strcmp(report, "graph") == 0 && !off)
            options->callers = FALSE;
        return TRUE;
    }
    return FALSE;
}

static const Option *find_option(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
        if (strcmp(known[i].name, name) == 0 || g_strcmp0(known[i].alias, name) == 0)
            return &known[i];
    return NULL;
}

/* The argument that the option `name` must have: behind '=' or the next word; NULL and `error`
 * where there is none. */
static const char *take_argument(const char *name, const char *what, const char *argument, int argc,
                                 char **argv, int *position, GError **error)
{
    if (argument)
        return argument;
    if (*position + 1 < argc)
        return argv[++*position];
    fail(error, "--%s: %s is missing", name, what);
    return NULL;
}

/* Applies --NAME=FILE of the export in that row. */
static gboolean add_file(FcOptions *options, guint row, const char *argument, GError **error)
{
    const FcExportFile file = {.row = row, .path = g_strdup(argument)};
    g_array_append_val(options->files, file);
    return *argument != '\0' || fail(error, "--%s: a name is missing", options->table[row].name);
}

/* Applies the option in argv[*position] and moves *position onto the last word used. */
static gboolean parse_option(FcOptions *options, int argc, char **argv, int *position,
                             GError **error)
{
    const char *word = argv[*position];
    const char *start = word + (word[1] == '-' ? 2 : 1);
    const char *equals = strchr(start, '=');
    g_autofree char *name = equals ? g_strndup(start, (gsize)(equals - start)) : g_strdup(start);
    const char *argument = equals ? equals + 1 : NULL;
    if (apply_report(options, name))
        return !argument || fail(error, "--%s takes no argument", name);
    for (guint i = 0; options->table[i].name; i++)
    {
        if (options->table[i].kind != FC_REPORT_FILE || strcmp(options->table[i].name, name) != 0)
            continue;
        argument = take_argument(name, "FILE", argument, argc, argv, position, error);
        return argument && add_file(options, i, argument, error);
    }
    const Option *option = find_option(name);
    if (!option)
        return fail(error, "unknown option '%s'", word);
    if (!option->argument && argument)
        return fail(error, "--%s takes no argument", name);
    if (option->argument && option->argument[0] != '[')
    {
        argument = take_argument(name, option->argument, argument, argc, argv, position, error);
        if (!argument)
            return FALSE;
    }
    return option->apply(options, option, argument, error);
}

static void free_file(gpointer data)
{
    g_free(((FcExportFile *)data)->path);
}

FcOptions *fc_options_parse(const FcReport *table, int argc, char **argv, GError **error)
{
    g_autoptr(FcOptions) options = g_new0(FcOptions, 1);
    gboolean ended = FALSE;
    options->table = table;
    options->operands = g_ptr_array_new_with_free_func(g_free);
    options->images = g_ptr_array_new_with_free_func(g_free);
    options->suppressions = g_ptr_array_new_with_free_func(g_free);
    options->only = g_ptr_array_new_with_free_func(g_free);
    options->except = g_ptr_array_new_with_free_func(g_free);
    options->reports = reports_named(table, "", FC_REPORT_DEFAULT);
    options->export = -1;
    options->files = g_array_new(FALSE, FALSE, sizeof(FcExportFile));
    g_array_set_clear_func(options->files, free_file);
    options->depth = FC_DEPTH_DEFAULT;
    options->demangle = FC_DEMANGLE_PLAIN;
    for (int i = 1; i < argc; i++)
    {
        if (!ended && strcmp(argv[i], "--") == 0)
            ended = TRUE;
        else if (ended || argv[i][0] != '-' || argv[i][1] == '\0')
            g_ptr_array_add(options->operands, g_strdup(argv[i]));
        else if (!parse_option(options, argc, argv, &i, error))
            return NULL;
    }
    g_ptr_array_add(options->operands, NULL);
    g_ptr_array_add(options->images, NULL);
    return g_steal_pointer(&options);
}

void fc_options_free(FcOptions *options)
{
    if (!options)
        return;
    g_ptr_array_unref(options->operands);
    g_ptr_array_unref(options->images);
    g_ptr_array_unref(options->suppressions);
    g_ptr_array_unref(options->only);
    g_ptr_array_unref(options->except);
    g_array_unref(options->files);
    g_free(options->gmon);
    g_free(options);
}

/* ---- Help -------------------------------------------------------------------- */

static void append_help(GString *text, const char *spelling, const char *help)
{
    const int column = 26;
    if ((int)strlen(spelling) + 2 > column)
        g_string_append_printf(text, "  %s\n  %*s%s\n", spelling, column, "", help);
    else
        g_string_append_printf(text, "  %-*s%s\n", column, spelling, help);
}

static void append_report_help(GString *text, const FcReport *reports, FcReportKind kind)
{
    for (guint i = 0; reports[i].name; i++)
    {
        if (reports[i].kind != kind)
            continue;
        g_autofree char *spelling = g_strdup_printf(kind == FC_REPORT_EXPORT ? "--%s"
                                                    : kind == FC_REPORT_FILE ? "--%s=FILE"
                                                                             : "--%s, --no-%s",
                                                    reports[i].name, reports[i].name);
        append_help(text, spelling, reports[i].help);
    }
}

static void append_group_help(GString *text, const char *group)
{
    for (guint i = 0; i < G_N_ELEMENTS(known); i++)
    {
        const Option *option = &known[i];
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

char *fc_options_help(const FcReport *table)
{
    GString *text = g_string_new(
        "Usage: fcdump [OPTION]... [PROFILE]... [IMAGE]...\n"
        "Show what a profile holds.  PROFILE is a .fc or .fcd file, functioncheck.fc if none is\n"
        "named; several are summed.  IMAGE is a program or library that moved since the run.\n"
        "Options may be spelled with one dash or two, arguments follow '=' or as the next word.\n");
    g_string_append(text, "\nReports, in the order of the output (these are on by default):\n");
    append_report_help(text, table, FC_REPORT_DEFAULT);
    g_string_append(text, "\nMore reports:\n");
    append_report_help(text, table, FC_REPORT_ON_REQUEST);
    append_group_help(text, reports_group);
    g_string_append_printf(text, "\n%s:\n", exports_group);
    append_report_help(text, table, FC_REPORT_EXPORT);
    append_report_help(text, table, FC_REPORT_FILE);
    append_group_help(text, exports_group);
    const char *groups[] = {input_group, select_group, memory_group, names_group, other_group};
    for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
    {
        g_string_append_printf(text, "\n%s:\n", groups[i]);
        append_group_help(text, groups[i]);
    }
    g_string_append(text, "\nExit status: 0 done, 1 some input could not be read, 2 wrong usage,\n"
                          "3 what --fail-on-leak or --fail-on-bad-free is there to find.\n");
    return g_string_free(text, FALSE);
}
