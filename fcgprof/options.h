/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command line of fcgprof, which is GNU gprof's.  main.c parses it once;
 * everything else reads the result.
 */
#pragma once

#include "gmon/gmon.h"

/* Reports; the order in which options name them matters, see fc_goptions_styles(). */
enum
{
    FC_GSTYLE_FLAT = 1 << 0,
    FC_GSTYLE_GRAPH = 1 << 1,
    FC_GSTYLE_EXEC = 1 << 2,
    FC_GSTYLE_ANNOTATE = 1 << 3,
    FC_GSTYLE_INFO = 1 << 4,
    FC_GSTYLE_SUM = 1 << 5,
    FC_GSTYLE_FUNCTION_ORDER = 1 << 6,
    FC_GSTYLE_FILE_ORDER = 1 << 7,
};

/* What was found in the profiles. */
enum
{
    FC_GINPUT_HIST = 1,
    FC_GINPUT_ARCS = 2,
    FC_GINPUT_BLOCKS = 4,
};

/* Tables of symbol specifications: inclusions, and behind them exclusions. */
typedef enum
{
    FC_GTABLE_INCL_GRAPH,
    FC_GTABLE_EXCL_GRAPH,
    FC_GTABLE_INCL_ARCS,
    FC_GTABLE_EXCL_ARCS,
    FC_GTABLE_INCL_FLAT,
    FC_GTABLE_EXCL_FLAT,
    FC_GTABLE_INCL_TIME,
    FC_GTABLE_EXCL_TIME,
    FC_GTABLE_INCL_ANNO,
    FC_GTABLE_EXCL_ANNO,
    FC_GTABLE_INCL_EXEC,
    FC_GTABLE_EXCL_EXEC,
    FC_GTABLE_LAST,
} FcGTable;

typedef struct
{
    const char *text;
    FcGTable table;
} FcGSpecText;

typedef struct
{
    const char *image;       /* NULL: a.out */
    GPtrArray *profiles;     /* of char*, in order; empty: gmon.out */
    GArray *specs;           /* of FcGSpecText, in order */
    GPtrArray *dirs;         /* of char*, owned: where -A looks for sources */
    const char *map_file;    /* -R */
    const char *symbol_file; /* -S */
    unsigned styles;
    unsigned styles_named; /* every style that an option mentioned */
    FcGmonFormat format;
    unsigned debug;
    int width;        /* columns of the index */
    int table_length; /* rows of -A's table */
    gulong min_count; /* -m */
    gboolean no_statics;
    gboolean only_functions; /* -D */
    gboolean by_line;
    gboolean inline_file_names;
    gboolean full_paths;
    gboolean brief;
    gboolean static_calls;
    gboolean show_zero;
    gboolean traditional;
    gboolean all_lines;
    gboolean separate_files;
    gboolean demangle;
    gboolean elapsed; /* of a profile of ours: with the time off the CPU */
    gboolean show_help;
    gboolean show_version;
} FcGOptions;

/* Parses (and permutes) argv.  NULL with `error` set on a usage error; getopt's own
 * complaint is on stderr then and the error's message may be empty.  The strings are those of
 * argv, which must outlive the result. */
FcGOptions *fc_goptions_parse(int argc, char **argv, GError **error);
void fc_goptions_free(FcGOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGOptions, fc_goptions_free)

/* The styles to print when the profiles held `inputs` (FC_GINPUT_*). */
unsigned fc_goptions_styles(const FcGOptions *options, unsigned inputs);

/* The text of --help; the caller frees it. */
char *fc_goptions_usage(void);

#define FC_GPROF_ERROR (fc_gprof_error_quark())
GQuark fc_gprof_error_quark(void);
typedef enum
{
    FC_GPROF_ERROR_USAGE,
    FC_GPROF_ERROR_INPUT,
    FC_GPROF_ERROR_OUTPUT,
} FcGprofError;
