/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Understands fcdump's command line; see options.h.  Every option is accepted with one dash or
 * two, its argument behind '=' or as the next word.
 */
#include "fcdump/aliases.h"
#include "fcdump/diff-rules.h"
#include "fcdump/options-table.h"
#include "fcdump/words.h"

#include <stdlib.h>
#include <string.h>

/* --NAME and --no-NAME of the reports.  FALSE where `name` is none of these. */
static gboolean apply_report(FcOptions *options, const char *name)
{
    gboolean off = g_str_has_prefix(name, "no-");
    const char *report = off ? name + 3 : name;
    const FcReport *const *reports = options->table;
    if (strcmp(report, "hints") == 0) /* no longer exist; scripts turn them off */
        return TRUE;
    for (guint i = 0; reports[i]; i++)
    {
        if (strcmp(reports[i]->name, report) != 0 || reports[i]->kind == FC_REPORT_OPTION)
            continue;
        guint64 bit = G_GUINT64_CONSTANT(1) << i;
        if (reports[i]->kind == FC_REPORT_FILE)
            return FALSE;
        if (reports[i]->kind != FC_REPORT_EXPORT)
        {
            /* --no-header alone keeps the first screen */
            if (off && reports[i]->kind == FC_REPORT_CLASSIC && strcmp(report, "header") != 0)
                fc_options_leave_screen(options);
            else if (!off)
                fc_options_name_report(options);
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

static const FcOption *find_option(const char *name)
{
    for (guint i = 0; fc_option_table[i].name; i++)
        if (strcmp(fc_option_table[i].name, name) == 0 ||
            g_strcmp0(fc_option_table[i].alias, name) == 0)
            return &fc_option_table[i];
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
    fc_option_fail(error, "--%s: %s is missing", name, what);
    return NULL;
}

/* Applies --NAME=FILE of the export in that row. */
static gboolean add_file(FcOptions *options, guint row, const char *argument, GError **error)
{
    const FcExportFile file = {.row = row, .path = g_strdup(argument)};
    g_array_append_val(options->files, file);
    return *argument != '\0' ||
           fc_option_fail(error, "--%s: a name is missing", options->table[row]->name);
}

/* ---- The nearest name ---------------------------------------------------------- */

typedef struct
{
    const char *name;
    char *nearest; /* owned; NULL: none is near */
    guint distance;
} Search;

static void consider(Search *search, const char *prefix, const char *name)
{
    g_autofree char *whole = g_strconcat(prefix, name, NULL);
    guint distance = fc_words_distance(search->name, whole);
    if (g_str_has_prefix(whole, search->name)) /* it is abbreviated */
        distance = 0;
    if (distance >= search->distance)
        return;
    search->distance = distance;
    g_free(search->nearest);
    search->nearest = g_steal_pointer(&whole);
}

static gboolean fail_unknown(const FcReport *const *reports, const char *word, const char *name,
                             GError **error)
{
    /* a third of the letters may be wrong */
    Search search = {.name = name, .distance = (guint)strlen(name) / 3 + 1};
    for (guint i = 0; fc_option_table[i].name; i++)
        consider(&search, "", fc_option_table[i].name);
    for (guint i = 0; reports[i]; i++)
    {
        if (reports[i]->kind == FC_REPORT_OPTION)
            continue;
        consider(&search, "", reports[i]->name);
        if (reports[i]->kind != FC_REPORT_EXPORT && reports[i]->kind != FC_REPORT_FILE)
            consider(&search, "no-", reports[i]->name);
    }
    g_autofree char *nearest = search.nearest;
    if (!nearest)
        return fc_option_fail(error, "unknown option '%s'", word);
    return fc_option_fail(error, "unknown option '%s'; the nearest is '--%s'", word, nearest);
}

/* ---- Parsing --------------------------------------------------------------------- */

/* Applies the option in argv[*position] and moves *position onto the last word used. */
static gboolean parse_option(FcOptions *options, int argc, char **argv, int *position,
                             GError **error)
{
    const char *word = argv[*position];
    const char *start = word + (word[1] == '-' ? 2 : 1);
    const char *equals = strchr(start, '=');
    g_autofree char *name = equals ? g_strndup(start, (gsize)(equals - start)) : g_strdup(start);
    const char *argument = equals ? equals + 1 : NULL;
    const FcAlias *alias = fc_alias_find(name);
    if (alias && !alias->option)
        return !argument || fc_option_fail(error, "--%s takes no argument", name);
    if (alias)
    {
        g_free(name);
        name = g_strdup(alias->with && argument ? alias->with : alias->option);
        argument = argument ? argument : alias->argument;
    }
    if (apply_report(options, name))
        return !argument || fc_option_fail(error, "--%s takes no argument", name);
    for (guint i = 0; options->table[i]; i++)
    {
        if (options->table[i]->kind != FC_REPORT_FILE || strcmp(options->table[i]->name, name) != 0)
            continue;
        argument = take_argument(name, "FILE", argument, argc, argv, position, error);
        return argument && add_file(options, i, argument, error);
    }
    const FcOption *option = find_option(name);
    if (!option)
        return fail_unknown(options->table, word, name, error);
    if (!option->argument && argument)
        return fc_option_fail(error, "--%s takes no argument", name);
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

static void free_rule(gpointer data)
{
    fc_diff_rule_free(data);
}

/* ---- Differences ------------------------------------------------------------- */

/* The operands before the first "--" are the runs before. */
static void split_operands(FcOptions *options)
{
    for (guint i = 0; i < options->operands->len; i++)
        g_ptr_array_add(options->baseline, g_strdup(options->operands->pdata[i]));
    g_ptr_array_set_size(options->operands, 0);
}

/* A report that was asked for and that shows nothing of a difference; NULL: there is none. */
static const char *find_report_beside_diff(const FcOptions *options)
{
    for (guint i = 0; options->table[i]; i++)
    {
        const FcReport *report = options->table[i];
        const gboolean is_asked =
            report->kind == FC_REPORT_OPTION || (options->asked >> i & 1) != 0;
        if (is_asked && (options->reports >> i & 1) != 0 && !report->shows_diff)
            return report->name;
    }
    return options->callers ? "rgraph" : options->by != FC_BY_FUNCTION ? "by" : NULL;
}

/* Whether the options for differences, and those that go with them, make sense. */
static gboolean check_diff(FcOptions *options, gboolean split, GError **error)
{
    if (!options->diff)
        return (options->rules->len == 0 && !options->markdown) ||
               fc_option_fail(error,
                              "--%s: there is nothing to compare: --diff or --baseline is missing",
                              options->rules->len > 0 ? "fail-on" : "markdown");
    if (!split && options->baseline->len == 0)
    {
        if (options->operands->len != 2)
            return fc_option_fail(
                error, "--diff: a '--' between the profiles before and those after is missing");
        g_ptr_array_add(options->baseline, g_ptr_array_steal_index(options->operands, 0));
    }
    if (options->baseline->len == 0)
        return fc_option_fail(error, "--diff: the profiles before are missing");
    if (options->gmon || options->merge ||
        (options->export >= 0 && !options->table[options->export]->shows_diff))
        return fc_option_fail(error, "--%s can't show a difference",
                              options->gmon    ? "gmon"
                              : options->merge ? "merge"
                                               : options->table[options->export]->name);
    for (guint i = 0; i < options->files->len; i++)
    {
        const FcReport *report = options->table[g_array_index(options->files, FcExportFile, i).row];
        if (!report->shows_diff)
            return fc_option_fail(error, "--%s can't show a difference", report->name);
    }
    const char *beside = find_report_beside_diff(options);
    if (beside)
        return fc_option_fail(error,
                              "--%s can't show a difference: that is shown by function, with "
                              "--tree also by context",
                              beside);
    return options->sort <= FC_SORT_CALLS ||
           fc_option_fail(error, "--diff has no bounds of calls: differences can be sorted by "
                                 "total, local, name or calls");
}

/* ---- Exports ------------------------------------------------------------------- */

/* The file that `path` leads to, however it is spelt.  The caller owns the result. */
static char *resolve(const char *path)
{
    const char *named = strcmp(path, "-") == 0 ? "/dev/stdout" : path;
    g_autofree char *folder = g_path_get_dirname(named);
    g_autofree char *base = g_path_get_basename(named);
    char *found = realpath(named, NULL);
    char *found_folder = found ? NULL : realpath(folder, NULL); /* the file does not exist yet */
    char *place = found ? g_strdup(found)
                        : g_build_filename(found_folder ? found_folder : folder, base, NULL);
    free(found);
    free(found_folder);
    return place;
}

/* FALSE and `error` if two exports would be written into one file, other than /dev/null. */
static gboolean check_files(const FcOptions *options, GError **error)
{
    g_autoptr(GHashTable) rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (options->export >= 0)
        g_hash_table_insert(rows, resolve("-"), GUINT_TO_POINTER((guint)options->export));
    for (guint i = 0; i < options->files->len; i++)
    {
        const FcExportFile *file = &g_array_index(options->files, FcExportFile, i);
        g_autofree char *place = resolve(file->path);
        gpointer row = NULL;
        const gboolean taken = strcmp(place, "/dev/null") != 0 &&
                               g_hash_table_lookup_extended(rows, place, NULL, &row);
        const char *other = taken && GPOINTER_TO_UINT(row) != file->row
                                ? options->table[GPOINTER_TO_UINT(row)]->name
                                : NULL;
        g_hash_table_insert(rows, g_steal_pointer(&place), GUINT_TO_POINTER(file->row));
        if (other)
            return fc_option_fail(error, "--%s and --%s would be written into one file", other,
                                  options->table[file->row]->name);
    }
    return TRUE;
}

/* ---- Ranks ---------------------------------------------------------------------- */

static gboolean check_ranks(FcOptions *options, GError **error)
{
    const guint64 tree = fc_options_reports_named(options->table, "tree", FC_REPORT_ON_REQUEST);
    const char *option = options->merge ? "merge" : "ranks";
    if (!options->by_rank && !options->merge)
        return TRUE;
    if (options->threads->len > 0)
        return fc_option_fail(error, "--thread does not go with --%s: of ranks threads are summed",
                              option);
    if (options->merge && (options->gmon || options->export >= 0 || options->files->len > 0))
        return fc_option_fail(error, "--merge is written alone: no other export goes with it");
    options->rank_tree = options->by_rank && (options->asked & tree) != 0;
    if (options->rank_tree)
    {
        options->reports &= ~tree;
        options->asked &= ~tree;
    }
    return TRUE;
}

/* ---- Runs ----------------------------------------------------------------------- */

/* --runs shows means of functions' times and calls: what it can't show it refuses. */
static gboolean check_runs(const FcOptions *options, GError **error)
{
    if ((options->asked & fc_options_reports_named(options->table, "runs", FC_REPORT_ON_REQUEST)) ==
        0)
        return TRUE;
    if (options->by != FC_BY_FUNCTION)
        return fc_option_fail(error,
                              "--by does not go with --runs: the runs of functions are compared");
    return options->sort <= FC_SORT_CALLS ||
           fc_option_fail(error, "--runs has the means of runs, which can be sorted by total, "
                                 "local, name or calls");
}

/* ---- One table ----------------------------------------------------------------- */

/* What --csv may not go with; NULL: all is well. */
static const char *find_csv_hindrance(const FcOptions *options)
{
    if (options->export >= 0)
        return options->table[options->export]->name;
    if (options->files->len > 0)
        return options->table[g_array_index(options->files, FcExportFile, 0).row]->name;
    return options->gmon                       ? "gmon"
           : options->merge                    ? "merge"
           : options->markdown                 ? "markdown"
           : options->unit != FC_UNIT_READABLE ? "units"
                                               : NULL;
}

/* With --csv: keeps only the report that was named, else the flat profile. */
static gboolean choose_table(FcOptions *options, GError **error)
{
    const char *hindrance = find_csv_hindrance(options);
    if (hindrance)
        return fc_option_fail(error, "--csv does not go with --%s", hindrance);
    guint64 wanted =
        options->asked | fc_options_reports_named(options->table, "", FC_REPORT_OPTION);
    if (options->callers)
        wanted |= fc_options_reports_named(options->table, "graph", FC_REPORT_CLASSIC);
    wanted &= options->reports;
    if (wanted == 0)
        wanted = fc_options_reports_named(options->table, "flat", FC_REPORT_CLASSIC);
    if ((wanted & (wanted - 1)) != 0 && !options->diff)
        return fc_option_fail(error, "--csv: one table at a time: name one report");
    for (guint i = 0; options->table[i]; i++)
        if (wanted == G_GUINT64_CONSTANT(1) << i && options->table[i]->is_text)
            return fc_option_fail(error, "--csv: --%s is no table", options->table[i]->name);
    options->reports = wanted;
    options->classic = TRUE;
    return TRUE;
}

/* Whether there is nothing to print or to check. */
static gboolean leaves_nothing(const FcOptions *options)
{
    return options->action == FC_ACTION_REPORT && options->reports == 0 && options->export < 0 &&
           options->files->len == 0 && !options->gmon && !options->merge && !options->diff &&
           !options->fail_on_leak && !options->fail_on_bad_free;
}

FcOptions *fc_options_parse(const FcReport *const *table, int argc, char **argv, GError **error)
{
    g_autoptr(FcOptions) options = g_new0(FcOptions, 1);
    gboolean ended = FALSE;
    gboolean split = FALSE;
    options->table = table;
    options->operands = g_ptr_array_new_with_free_func(g_free);
    options->images = g_ptr_array_new_with_free_func(g_free);
    options->baseline = g_ptr_array_new_with_free_func(g_free);
    options->rules = g_ptr_array_new_with_free_func(free_rule);
    options->suppressions = g_ptr_array_new_with_free_func(g_free);
    options->only = g_ptr_array_new_with_free_func(g_free);
    options->except = g_ptr_array_new_with_free_func(g_free);
    options->peek = g_ptr_array_new_with_free_func(g_free);
    options->path = g_ptr_array_new_with_free_func(g_free);
    options->processes = g_ptr_array_new_with_free_func(g_free);
    options->threads = g_ptr_array_new_with_free_func(g_free);
    options->reports = fc_options_reports_named(table, "", FC_REPORT_SCREEN);
    options->export = -1;
    options->rank = FC_NONE;
    options->width = -1;
    options->files = g_array_new(FALSE, FALSE, sizeof(FcExportFile));
    g_array_set_clear_func(options->files, free_file);
    options->depth = FC_DEPTH_DEFAULT;
    options->demangle = FC_DEMANGLE_PLAIN;
    for (int i = 1; i < argc; i++)
    {
        if (!ended && strcmp(argv[i], "--") == 0)
        {
            ended = !options->diff || split;
            if (!ended)
                split_operands(options);
            split = split || !ended;
        }
        else if (ended || argv[i][0] != '-' || argv[i][1] == '\0')
            g_ptr_array_add(options->operands, g_strdup(argv[i]));
        else if (!parse_option(options, argc, argv, &i, error))
            return NULL;
    }
    if (!check_diff(options, split, error) || !check_files(options, error) ||
        !check_ranks(options, error) || !check_runs(options, error) ||
        (options->csv && !choose_table(options, error)))
        return NULL;
    if (leaves_nothing(options))
    {
        fc_option_fail(error, "no report is left: --no-reports takes away what was named before "
                              "it, name reports after it");
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
    g_ptr_array_unref(options->baseline);
    g_ptr_array_unref(options->rules);
    g_ptr_array_unref(options->suppressions);
    g_ptr_array_unref(options->only);
    g_ptr_array_unref(options->except);
    g_ptr_array_unref(options->peek);
    g_ptr_array_unref(options->path);
    g_ptr_array_unref(options->processes);
    g_ptr_array_unref(options->threads);
    g_free(options->base);
    g_array_unref(options->files);
    g_free(options->gmon);
    g_free(options->merge);
    g_free(options);
}

FcTimePart fc_options_time(const FcOptions *options)
{
    const char *export = options->export >= 0 ? options->table[options->export]->name : NULL;
    if (options->has_time)
        return options->time;
    if (options->gmon) /* alone, whatever else is asked for */
        return FC_TIME_PART_CPU;
    if (g_strcmp0(export, "dot") == 0 || g_strcmp0(export, "vcg") == 0)
        return FC_TIME_PART_CPU;
    return export || options->files->len > 0 ? FC_TIME_PART_WALL : FC_TIME_PART_CPU;
}
