/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses GNU gprof's command line.  See options.h.
 */
#include "fcgprof/options.h"

#include "fcgprof/demangle.h"
#include "fcgprof/options-table.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    DEFAULT_WIDTH = 80,
    DEFAULT_TABLE_LENGTH = 10
};

/* Options that choose a report: one that shows and one that hides, and the tables
 * that their value goes to. */
typedef struct
{
    int show;
    int hide; /* 0: none */
    unsigned style;
    FcGTable inclusions;
    FcGTable exclusions;
} StyleOption;

static const StyleOption style_options[] = {
    {'p', 'P', FC_GSTYLE_FLAT, FC_GTABLE_INCL_FLAT, FC_GTABLE_EXCL_FLAT},
    {'q', 'Q', FC_GSTYLE_GRAPH, FC_GTABLE_INCL_GRAPH, FC_GTABLE_EXCL_GRAPH},
    {'A', 'J', FC_GSTYLE_ANNOTATE, FC_GTABLE_INCL_ANNO, FC_GTABLE_EXCL_ANNO},
    {'C', 'Z', FC_GSTYLE_EXEC, FC_GTABLE_INCL_EXEC, FC_GTABLE_EXCL_EXEC},
    {.show = 'B', .style = FC_GSTYLE_GRAPH},
    {.show = 'i', .style = FC_GSTYLE_INFO},
    {.show = 'r', .style = FC_GSTYLE_FUNCTION_ORDER},
    {.show = 's', .style = FC_GSTYLE_SUM},
};

/* Options whose value goes into a table of specifications and does nothing else; two rows
 * where it goes into two. */
static const struct
{
    int letter;
    FcGTable table;
} filters[] = {
    {'e', FC_GTABLE_EXCL_GRAPH}, {'E', FC_GTABLE_EXCL_GRAPH}, {'E', FC_GTABLE_EXCL_TIME},
    {'f', FC_GTABLE_INCL_GRAPH}, {'F', FC_GTABLE_INCL_GRAPH}, {'F', FC_GTABLE_INCL_TIME},
    {'k', FC_GTABLE_EXCL_ARCS},  {'n', FC_GTABLE_INCL_TIME},  {'N', FC_GTABLE_EXCL_TIME},
};

GQuark fc_gprof_error_quark(void)
{
    return g_quark_from_static_string("fc-gprof-error-quark");
}

static void free_spec_text(gpointer data)
{
    FcGSpecText *spec = data;

    g_free(spec->text);
    g_free(spec);
}

static FcGOptions *options_new(void)
{
    FcGOptions *options = g_new0(FcGOptions, 1);

    options->profiles = g_ptr_array_new_with_free_func(g_free);
    options->specs = g_ptr_array_new_with_free_func(free_spec_text);
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
    g_ptr_array_free(options->profiles, TRUE);
    g_ptr_array_free(options->specs, TRUE);
    g_ptr_array_free(options->dirs, TRUE);
    g_free(options->image);
    g_free(options->map_file);
    g_free(options->symbol_file);
    g_free(options);
}

static void add_spec(FcGOptions *options, const char *text, FcGTable table)
{
    FcGSpecText *spec = g_new(FcGSpecText, 1);

    spec->text = g_strdup(text);
    spec->table = table;
    g_ptr_array_add(options->specs, spec);
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

static gboolean parse_style(FcGOptions *options, int letter, const char *value)
{
    for (guint i = 0; i < G_N_ELEMENTS(style_options); i++)
    {
        const StyleOption *row = &style_options[i];
        gboolean is_shown = letter == row->show;
        FcGTable table = is_shown ? row->inclusions : row->exclusions;

        if (!is_shown && letter != row->hide)
            continue;
        /* Values with a slash speak of arcs, in the graph. */
        if (row->style == FC_GSTYLE_GRAPH && value && strchr(value, '/'))
            table = is_shown ? FC_GTABLE_INCL_ARCS : FC_GTABLE_EXCL_ARCS;
        if (value)
            add_spec(options, value, table);
        if (is_shown || value)
            options->styles |= row->style;
        else
            options->styles &= ~row->style;
        options->styles_named |= row->style;
        return TRUE;
    }
    return FALSE;
}

static gboolean parse_filter(FcGOptions *options, int letter, const char *value)
{
    gboolean is_filter = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS(filters); i++)
    {
        if (filters[i].letter != letter)
            continue;
        add_spec(options, value, filters[i].table);
        is_filter = TRUE;
    }
    return is_filter;
}

static gboolean parse_flag(FcGOptions *options, int letter)
{
    for (const FcGOption *option = fc_goption_table; option->letter; option++)
    {
        if (option->letter != letter || !option->flag)
            continue;
        G_STRUCT_MEMBER(gboolean, options, option->flag) = TRUE;
        return TRUE;
    }
    return FALSE;
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

static gboolean parse_other(FcGOptions *options, int letter, const char *value, GError **error)
{
    switch (letter)
    {
    case 'd':
        options->debug |= value ? 1 | (unsigned)atoi(value) : ~0u;
        printf("[main] debug-level=0x%x\n", options->debug);
        return TRUE;
    case 'I':
        add_dirs(options, value);
        return TRUE;
    case 'm':
        options->min_count = strtoul(value, NULL, 10);
        return TRUE;
    case 'O':
        return parse_format(options, value, error);
    case 'R':
        options->styles |= FC_GSTYLE_FILE_ORDER;
        options->styles_named |= FC_GSTYLE_FILE_ORDER;
        g_free(options->map_file);
        options->map_file = g_strdup(value);
        return TRUE;
    case 'S':
        g_free(options->symbol_file);
        options->symbol_file = g_strdup(value);
        return TRUE;
    case 't':
        options->table_length = MAX(atoi(value), 0);
        return TRUE;
    case 'w':
        options->width = MAX(atoi(value), 1);
        return TRUE;
    case FC_GOPTION_DEMANGLE:
        return parse_demangle(options, value, error);
    case FC_GOPTION_NO_DEMANGLE:
        options->demangle = FALSE;
        return TRUE;
    default:
        g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_USAGE, "");
        return FALSE;
    }
}

/* What getopt_long wants, from the table: the long options, which the caller frees, and the letters
 * that `letters` gets. */
static struct option *make_getopt(GString *letters)
{
    GArray *names = g_array_new(TRUE, TRUE, sizeof(struct option));
    for (const FcGOption *option = fc_goption_table; option->letter; option++)
    {
        int argument = !option->argument            ? no_argument
                       : option->argument[0] == '[' ? optional_argument
                                                    : required_argument;
        const struct option row = {option->name, argument, NULL, option->letter};
        if (option->name)
            g_array_append_val(names, row);
        if (option->letter < FC_GOPTION_DEMANGLE)
        {
            g_string_append_c(letters, (char)option->letter);
            g_string_append_len(letters, "::", argument);
        }
    }
    return (struct option *)(gpointer)g_array_free(names, FALSE);
}

FcGOptions *fc_goptions_parse(int argc, char **argv, GError **error)
{
    g_autoptr(FcGOptions) options = options_new();
    g_autoptr(GString) letters = g_string_new(NULL);
    g_autofree struct option *names = make_getopt(letters);
    int letter;

    while ((letter = getopt_long(argc, argv, letters->str, names, NULL)) != -1)
    {
        if (!parse_flag(options, letter) && !parse_style(options, letter, optarg) &&
            !parse_filter(options, letter, optarg) && !parse_other(options, letter, optarg, error))
            return NULL;
        /* These end everything where they stand. */
        if (options->show_help || options->show_version)
            return g_steal_pointer(&options);
    }
    if (optind < argc)
        options->image = g_strdup(argv[optind++]);
    while (optind < argc)
        g_ptr_array_add(options->profiles, g_strdup(argv[optind++]));
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
