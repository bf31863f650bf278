/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses GNU gprof's command line.  See options.h.
 */
#include "fcgprof/options.h"

#include "fcgprof/object.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    DEFAULT_WIDTH = 80,
    DEFAULT_TABLE_LENGTH = 10,
    HELP_COLUMN = 38,
    /* What getopt returns for options that have no letter. */
    DEMANGLE = 256,
    NO_DEMANGLE,
    INLINE_FILE_NAMES,
    ELAPSED, /* not one of gprof */
};

/* Sections of --help. */
typedef enum
{
    REPORTS,
    COUNTED,
    LOOK,
    OTHER,
    GROUPS
} Group;

static const char *const titles[GROUPS] = {
    [REPORTS] = "Reports",
    [COUNTED] = "What is counted",
    [LOOK] = "How it looks",
    [OTHER] = "Other",
};

typedef struct
{
    int letter;           /* or one of the above */
    const char *name;     /* NULL: only a letter */
    const char *argument; /* "N"; "[SPEC]": may be left out; NULL: none */
    Group group;
    const char *help;
    gsize flag;      /* offset of what it sets in FcGOptions; 0: none */
    unsigned shows;  /* the report that it chooses, */
    unsigned hides;  /* or leaves out if it has no argument */
    unsigned tables; /* that its argument goes into, a bit for each */
} Option;

#define FLAG(member) .flag = G_STRUCT_OFFSET(FcGOptions, member)
#define TABLE(name) (1U << FC_GTABLE_##name)

/* GNU gprof's options, and one of our own, in the order in which getopt lists names that begin
 * alike. */
static const Option table[] = {
    {'l', "line", NULL, COUNTED, "by source line", FLAG(by_line)},
    {'a', "no-static", NULL, COUNTED, "no local functions", FLAG(no_statics)},
    {'D', "ignore-non-functions", NULL, COUNTED, "no local symbols that are no functions",
     FLAG(only_functions)},
    {'S', "external-symbol-table", "FILE", COUNTED, "symbols from FILE"},
    {'A', "annotated-source", "[SPEC]", REPORTS, "source with counts in the margin",
     .shows = FC_GSTYLE_ANNOTATE, .tables = TABLE(INCL_ANNO)},
    {'J', "no-annotated-source", "[SPEC]", REPORTS, "not this report, or not SPEC in it",
     .hides = FC_GSTYLE_ANNOTATE, .tables = TABLE(EXCL_ANNO)},
    {'p', "flat-profile", "[SPEC]", REPORTS, "time and calls of each function",
     .shows = FC_GSTYLE_FLAT, .tables = TABLE(INCL_FLAT)},
    {'P', "no-flat-profile", "[SPEC]", REPORTS, "not this report, or not SPEC in it",
     .hides = FC_GSTYLE_FLAT, .tables = TABLE(EXCL_FLAT)},
    {'q', "graph", "[SPEC|ARC]", REPORTS, "callers and callees of each function",
     .shows = FC_GSTYLE_GRAPH, .tables = TABLE(INCL_GRAPH)},
    {'Q', "no-graph", "[SPEC|ARC]", REPORTS, "not this report, or not SPEC or ARC in it",
     .hides = FC_GSTYLE_GRAPH, .tables = TABLE(EXCL_GRAPH)},
    {'C', "exec-counts", "[SPEC]", REPORTS, "counts by place in the source",
     .shows = FC_GSTYLE_EXEC, .tables = TABLE(INCL_EXEC)},
    {'Z', "no-exec-counts", "[SPEC]", REPORTS, "not this report, or not SPEC in it",
     .hides = FC_GSTYLE_EXEC, .tables = TABLE(EXCL_EXEC)},
    {'r', "function-ordering", NULL, REPORTS, "order of functions for the linker",
     .shows = FC_GSTYLE_FUNCTION_ORDER},
    {'R', "file-ordering", "MAP", REPORTS, "order of the object files that MAP lists",
     .shows = FC_GSTYLE_FILE_ORDER},
    {'i', "file-info", NULL, REPORTS, "what the profiles contain", .shows = FC_GSTYLE_INFO},
    {'s', "sum", NULL, REPORTS, "write the profiles' sum to gmon.sum", .shows = FC_GSTYLE_SUM},
    {'x', "all-lines", NULL, LOOK, "a count on each line", FLAG(all_lines)},
    {DEMANGLE, "demangle", "[STYLE]", LOOK,
     "names as in the source (default); STYLE as for GNU gprof"},
    {NO_DEMANGLE, "no-demangle", NULL, LOOK, "names as for the linker"},
    {'I', "directory-path", "DIRS", LOOK, "where sources are"},
    {'z', "display-unused-functions", NULL, COUNTED, "also what was never called", FLAG(show_zero)},
    {INLINE_FILE_NAMES, "inline-file-names", NULL, LOOK, "file and line behind each name",
     FLAG(inline_file_names)},
    {'m', "min-count", "N", COUNTED, "lines with fewer counts are marked"},
    {'L', "print-path", NULL, LOOK, "files with their directories", FLAG(full_paths)},
    {'y', "separate-files", NULL, LOOK, "annotated source into FILE-ann", FLAG(separate_files)},
    {'c', "static-call-graph", NULL, COUNTED, "also calls that never happened", FLAG(static_calls)},
    {'t', "table-length", "N", LOOK, "rows of the busiest lines"},
    {'n', "time", "SPEC", COUNTED, "hand up only this time", .tables = TABLE(INCL_TIME)},
    {ELAPSED, "elapsed", NULL, COUNTED,
     "measured times with what was waited, in place of those on the CPU", FLAG(elapsed)},
    {'N', "no-time", "SPEC", COUNTED, "do not hand up this time", .tables = TABLE(EXCL_TIME)},
    {'w', "width", "N", LOOK, "columns of the index"},
    {'b', "brief", NULL, LOOK, "no explanations", FLAG(brief)},
    {'d', "debug", "[N]", OTHER, "tell what happens inside"},
    {'h', "help", NULL, OTHER, "this text", FLAG(show_help)},
    {'O', "file-format", "auto|magic|bsd|4.4bsd", COUNTED, "of the profiles"},
    {'T', "traditional", NULL, LOOK, "as BSD printed it", FLAG(traditional)},
    {'v', "version", NULL, OTHER, "the version", FLAG(show_version)},
    {'B', NULL, NULL, REPORTS, "as -q", .shows = FC_GSTYLE_GRAPH},
    {'k', NULL, "ARC", COUNTED, "not this arc", .tables = TABLE(EXCL_ARCS)},
    {'e', NULL, "SPEC", COUNTED, "as -Q SPEC", .tables = TABLE(EXCL_GRAPH)},
    {'E', NULL, "SPEC", COUNTED, "as -Q SPEC -N SPEC",
     .tables = TABLE(EXCL_GRAPH) | TABLE(EXCL_TIME)},
    {'f', NULL, "SPEC", COUNTED, "as -q SPEC", .tables = TABLE(INCL_GRAPH)},
    {'F', NULL, "SPEC", COUNTED, "as -q SPEC -n SPEC",
     .tables = TABLE(INCL_GRAPH) | TABLE(INCL_TIME)},
};

G_DEFINE_QUARK(fc_gprof_error, fc_gprof_error)

static FcGOptions *options_new(void)
{
    FcGOptions *options = g_new0(FcGOptions, 1);

    options->profiles = g_ptr_array_new();
    options->specs = g_array_new(FALSE, FALSE, sizeof(FcGSpecText));
    options->dirs = g_ptr_array_new_with_free_func(g_free);
    options->width = DEFAULT_WIDTH;
    options->table_length = DEFAULT_TABLE_LENGTH;
    options->min_count = 1;
    options->demangle = TRUE;
    return options;
}

void fc_goptions_free(FcGOptions *options)
{
    if (!options)
        return;
    g_ptr_array_unref(options->profiles);
    g_array_unref(options->specs);
    g_ptr_array_unref(options->dirs);
    g_free(options);
}

static void add_dirs(FcGOptions *options, const char *list)
{
    g_auto(GStrv) dirs = g_strsplit(list, ":", -1);

    for (guint i = 0; dirs[i]; i++)
    {
        if (*dirs[i])
            g_ptr_array_add(options->dirs, g_strdup(dirs[i]));
    }
}

/* What the table says of it. */
static void apply(FcGOptions *options, const Option *option, const char *value)
{
    unsigned style = option->shows | option->hides, tables = option->tables;

    if (option->flag)
        G_STRUCT_MEMBER(gboolean, options, option->flag) = TRUE;
    /* Values with a slash speak of arcs, in the graph. */
    if (style == FC_GSTYLE_GRAPH && value && strchr(value, '/'))
        tables = option->shows ? TABLE(INCL_ARCS) : TABLE(EXCL_ARCS);
    for (guint i = 0; value && i < FC_GTABLE_LAST; i++)
    {
        const FcGSpecText spec = {value, (FcGTable)i};

        if (tables >> i & 1)
            g_array_append_val(options->specs, spec);
    }
    if (option->shows || value)
        options->styles |= style;
    else
        options->styles &= ~style;
    options->styles_named |= style;
}

static gboolean parse_format(FcGOptions *options, const char *value, GError **error)
{
    static const char letters[] = "amb4p"; /* in the order of FcGmonFormat */
    const char *at = *value ? strchr(letters, *value) : NULL;

    if (at)
        options->format = (FcGmonFormat)(at - letters);
    else
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_OUTPUT, "unknown file format %s", value);
    return at != NULL;
}

static gboolean parse_demangle(FcGOptions *options, const char *value, GError **error)
{
    options->demangle = TRUE;
    if (!value || fc_gdemangle_set_style(value))
        return TRUE;
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_OUTPUT, "unknown demangling style %s", value);
    return FALSE;
}

/* What takes more than the table says. */
static gboolean parse_other(FcGOptions *options, int letter, const char *value, GError **error)
{
    switch (letter)
    {
    case 'd':
        options->debug |= value ? 1 | (unsigned)atoi(value) : ~0u;
        printf("[main] debug-level=0x%x\n", options->debug);
        break;
    case 'I':
        add_dirs(options, value);
        break;
    case 'm':
        options->min_count = strtoul(value, NULL, 10);
        break;
    case 'O':
        return parse_format(options, value, error);
    case 'R':
        options->map_file = value;
        break;
    case 'S':
        options->symbol_file = value;
        break;
    case 't':
        options->table_length = MAX(atoi(value), 0);
        break;
    case 'w':
        options->width = MAX(atoi(value), 1);
        break;
    case DEMANGLE:
        return parse_demangle(options, value, error);
    case NO_DEMANGLE:
        options->demangle = FALSE;
        break;
    default:
        break;
    }
    return TRUE;
}

/* What getopt_long wants, from the table: the long options, which the caller frees, and the letters
 * that `letters` gets. */
static struct option *make_getopt(GString *letters)
{
    GArray *names = g_array_new(TRUE, TRUE, sizeof(struct option));

    for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    {
        const Option *option = &table[i];
        int argument = !option->argument            ? no_argument
                       : option->argument[0] == '[' ? optional_argument
                                                    : required_argument;
        const struct option row = {option->name, argument, NULL, option->letter};

        if (option->name)
            g_array_append_val(names, row);
        if (option->letter < DEMANGLE)
        {
            g_string_append_c(letters, (char)option->letter);
            g_string_append_len(letters, "::", argument);
        }
    }
    return (struct option *)(gpointer)g_array_free(names, FALSE);
}

/* NULL: getopt has complained of what there is. */
static const Option *find_option(int letter)
{
    for (guint i = 0; i < G_N_ELEMENTS(table); i++)
    {
        if (table[i].letter == letter)
            return &table[i];
    }
    return NULL;
}

FcGOptions *fc_goptions_parse(int argc, char **argv, GError **error)
{
    g_autoptr(FcGOptions) options = options_new();
    g_autoptr(GString) letters = g_string_new(NULL);
    g_autofree struct option *names = make_getopt(letters);
    int letter;

    while ((letter = getopt_long(argc, argv, letters->str, names, NULL)) != -1)
    {
        const Option *option = find_option(letter);

        if (!option)
        {
            g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_USAGE, "");
            return NULL;
        }
        apply(options, option, optarg);
        if (!parse_other(options, letter, optarg, error))
            return NULL;
        /* These end everything where they stand. */
        if (options->show_help || options->show_version)
            return g_steal_pointer(&options);
    }
    if (optind < argc)
        options->image = argv[optind++];
    while (optind < argc)
        g_ptr_array_add(options->profiles, argv[optind++]);
    if (g_getenv("GPROF_PATH"))
        add_dirs(options, g_getenv("GPROF_PATH"));
    if (options->styles & FC_GSTYLE_SUM)
        options->by_line = TRUE;
    if ((options->styles & FC_GSTYLE_FUNCTION_ORDER) && (options->styles & FC_GSTYLE_FILE_ORDER))
    {
        g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_OUTPUT,
                            "--function-ordering and --file-ordering exclude each other");
        return NULL;
    }
    return g_steal_pointer(&options);
}

unsigned fc_goptions_styles(const FcGOptions *options, unsigned inputs)
{
    unsigned styles = 0;

    if (options->styles)
        return options->styles;
    if (inputs & FC_GINPUT_HIST)
        styles |= FC_GSTYLE_FLAT;
    if (inputs & FC_GINPUT_ARCS)
        styles |= FC_GSTYLE_GRAPH;
    if (!styles)
        styles = FC_GSTYLE_EXEC;
    return styles & ~options->styles_named;
}

static void append_option(GString *text, const Option *option)
{
    g_autoptr(GString) line = g_string_new(option->letter < DEMANGLE ? "  -" : "      ");
    if (option->letter < DEMANGLE)
        g_string_append_printf(line, "%c%s", option->letter, option->name ? ", " : "");
    if (option->name)
        g_string_append_printf(line, "--%s", option->name);
    if (option->argument && option->argument[0] == '[')
        g_string_append_printf(line, "[=%s", option->argument + 1);
    else if (option->argument)
        g_string_append_printf(line, "%c%s", option->name ? '=' : ' ', option->argument);
    if (line->len + 2 > HELP_COLUMN)
        g_string_append_printf(text, "%s\n%*s%s\n", line->str, HELP_COLUMN, "", option->help);
    else
        g_string_append_printf(text, "%-*s%s\n", HELP_COLUMN, line->str, option->help);
}

char *fc_goptions_usage(void)
{
    GString *text = g_string_new(
        "usage: fcgprof [OPTION]... [IMAGE [PROFILE]...]\n"
        "Reports where a program spent its time, from the gmon.out files that it wrote, or\n"
        "from the .fc and .fcd files that FunctionCheck made: from these with times that\n"
        "were measured, and without need of an IMAGE.\n"
        "IMAGE is a.out and PROFILE gmon.out if not given, or functioncheck.fc where only\n"
        "that is there; \"-\" is standard input.\n"
        "SPEC is [FILE:]FUNCTION or [FILE:]LINE; ARC is SPEC/SPEC.\n");
    for (guint group = 0; group < GROUPS; group++)
    {
        g_string_append_printf(text, "\n%s:\n", titles[group]);
        for (guint i = 0; i < G_N_ELEMENTS(table); i++)
            if (table[i].group == group)
                append_option(text, &table[i]);
    }
    return g_string_free(text, FALSE);
}
