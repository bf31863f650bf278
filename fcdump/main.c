/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcdump: shows what a profile holds.  The only place of the tool that prints
 * errors and that exits: 0 done, 1 input could not be (wholly) read, has not what was
 * named, or output was not written, 2 wrong usage, 3 what --fail-on-... is there to find.
 */
#include "control/control.h"
#include "fcdump/compare.h"
#include "fcdump/diff-rules.h"
#include "fcdump/export-gmon.h"
#include "fcdump/export.h"
#include "fcdump/missing.h"
#include "fcdump/options.h"
#include "fcdump/pager.h"
#include "fcdump/progress.h"
#include "fcdump/report-diff.h"
#include "fcdump/report-table.h"
#include "fcdump/report.h"
#include "fcdump/variables.h"
#include "model/load.h"
#include "model/nearby.h"
#include "model/select.h"
#include "model/v3.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum
{
    EXIT_DONE = 0,
    EXIT_INPUT = 1,
    EXIT_USAGE = 2,
    EXIT_FOUND = 3,
};

/* Prints the messages from index `first` on.  Returns the number of all, for the next call. */
static guint print_errors(const GPtrArray *messages, guint first)
{
    for (guint i = first; i < messages->len; i++)
    {
        g_autofree char *text = fc_format_text(messages->pdata[i]);
        fprintf(stderr, "fcdump: %s\n", text);
    }
    return messages->len;
}

static GLogWriterOutput write_log(GLogLevelFlags level, const GLogField *fields, gsize count,
                                  gpointer debug)
{
    for (gsize i = 0; i < count; i++)
        if (strcmp(fields[i].key, "MESSAGE") == 0 && (level < G_LOG_LEVEL_DEBUG || debug))
        {
            g_autofree char *text = fc_format_text(fields[i].value);
            fprintf(stderr, "fcdump: debug: %s\n", text);
        }
    return G_LOG_WRITER_HANDLED;
}

static gboolean is_utf8_terminal(void)
{
    return isatty(STDOUT_FILENO) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static FcRender *make_render(const FcOptions *options)
{
    static const FcClock clocks[] = {[FC_TIME_PART_CPU] = FC_CLOCK_CPU,
                                     [FC_TIME_PART_WAIT] = FC_CLOCK_WAIT,
                                     [FC_TIME_PART_WALL] = FC_CLOCK_ELAPSED};
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    gboolean terminal = isatty(STDOUT_FILENO);
    gboolean color = options->color == FC_WHEN_ALWAYS ||
                     (options->color == FC_WHEN_AUTO && terminal &&
                      (!no_color || *no_color == '\0') && g_strcmp0(term, "dumb") != 0);
    struct winsize size = {0};
    guint width = 0;
    if (terminal)
        width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    if (options->width >= 0)
        width = (guint)options->width;
    fc_format_use_unit(options->unit);
    fc_format_use_clock(clocks[fc_options_time(options)]);
    if (options->csv)
        fc_format_use_csv();
    return fc_render_new(stdout, color, width, is_utf8_terminal());
}

/* The suppressions that the command line and FC_SUPPRESS name.  Appends what can't be read to
 * `problems`. */
static FcSuppressions *load_suppressions(const FcOptions *options, GPtrArray *problems)
{
    FcSuppressions *suppressions = fc_suppressions_new(!options->no_built_in);
    const char *file = getenv("FC_SUPPRESS");
    g_autoptr(GPtrArray) files = g_ptr_array_new();
    if (file && *file != '\0')
        g_ptr_array_add(files, (gpointer)file);
    for (guint i = 0; i < options->suppressions->len; i++)
        g_ptr_array_add(files, options->suppressions->pdata[i]);
    for (guint i = 0; i < files->len; i++)
    {
        g_autoptr(GError) error = NULL;
        if (!fc_suppressions_load(suppressions, files->pdata[i], &error))
            g_ptr_array_add(problems, g_strdup(error->message));
    }
    return suppressions;
}

static void render_export(FcReportContext context, guint row, FILE *out)
{
    g_autoptr(FcRender) render = fc_render_new(out, FALSE, 0, TRUE);
    context.render = render;
    fc_report_table[row]->render(&context);
}

/* Writes one export to its file.  FALSE and `error` where that failed. */
static gboolean write_file(const FcReportContext *context, const FcExportFile *file, GError **error)
{
    if (strcmp(file->path, "-") == 0)
    {
        render_export(*context, file->row, stdout);
        return TRUE;
    }
    FcOutput *output = fc_export_begin(file->path, error);
    if (output)
        render_export(*context, file->row, fc_output_stream(output));
    if (output && fc_output_end(output, TRUE, error))
        return TRUE;
    g_prefix_error(error, "%s: ", file->path);
    return FALSE;
}

/* FALSE if a file could not be written.  Errors of standard output are checked at the end. */
static gboolean print_exports(const FcReportContext *context)
{
    const FcOptions *options = context->options;
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < options->files->len; i++)
    {
        g_autoptr(GError) error = NULL;
        if (!write_file(context, &g_array_index(options->files, FcExportFile, i), &error))
            g_ptr_array_add(problems, g_strdup(error->message));
    }
    if (options->export >= 0)
        fc_report_table[options->export]->render(context);
    print_errors(context->notes, 0);
    print_errors(problems, 0);
    return problems->len == 0;
}

static gboolean asks_for(const FcOptions *options, const char *report)
{
    for (guint i = 0; options->table[i]; i++)
        if (strcmp(options->table[i]->name, report) == 0)
            return options->export == (gint)i || (options->asked >> i & 1) != 0;
    return FALSE;
}

static gboolean print_reports(const FcModel *model, const FcMemory *memory,
                              const FcSuppressions *suppressions, const FcDiff *runs,
                              const FcOptions *options)
{
    g_autoptr(FcRender) render = make_render(options);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    FcReportContext context = {.model = model,
                               .memory = memory,
                               .suppressions = suppressions,
                               .options = options,
                               .render = render,
                               .runs = runs,
                               .notes = notes};
    if (options->export >= 0 || options->files->len > 0)
        return print_exports(&context);
    if (isatty(STDOUT_FILENO))
        fc_pager_start();
    for (guint i = 0; fc_report_table[i]; i++)
        if ((options->reports >> i & 1) != 0)
            fc_report_table[i]->render(&context);
    print_errors(notes, 0);
    const gboolean silent = options->fail_on_leak || options->fail_on_bad_free;
    if (!fc_render_has_started(render) && options->csv)
        fputs("fcdump: --csv: the report has nothing to say of this profile\n", stderr);
    else if (!fc_render_has_started(render) && !silent)
        fc_render_line(render,
                       "The reports that were asked for have nothing to say of this profile.");
    return TRUE;
}

/* The exit status: `status`, or that of a failure to write.  A closed pipe is no failure: its
 * reader, such as head, has read what it wanted. */
static int finish_output(int status)
{
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
    {
        fprintf(stderr, "fcdump: standard output: %s\n", g_strerror(errno != 0 ? errno : EIO));
        status = EXIT_INPUT;
    }
    fc_pager_finish();
    return status;
}

/* The files that names come from; or (`for_gmon`) all images and operands that name modules for
 * --gmon to export. */
static GPtrArray *list_images(const FcOptions *options, gboolean for_gmon)
{
    GPtrArray *images = g_ptr_array_new();
    for (guint i = 0; options->images->pdata[i]; i++)
        if (for_gmon || !options->gmon || fc_export_gmon_is_file(options->images->pdata[i]))
            g_ptr_array_add(images, options->images->pdata[i]);
    for (guint i = 0; for_gmon && options->operands->pdata[i]; i++)
        if (fc_v3_is_elf(options->operands->pdata[i]))
            g_ptr_array_add(images, options->operands->pdata[i]);
    g_ptr_array_add(images, NULL);
    return images;
}

/* FALSE where something went wrong. */
static gboolean export_gmon(const FcModel *model, const FcOptions *options)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) images = list_images(options, TRUE);
    fc_export_gmon(model, options->gmon, (const char *const *)images->pdata, notes, problems);
    print_errors(notes, 0);
    print_errors(problems, 0);
    return problems->len == 0;
}

/* ---- Reading ----------------------------------------------------------------- */

/* How names are shown to a person.  Exports have whole ones, and short ones beside them. */
static FcLabels choose_labels(const FcOptions *options)
{
    if (options->whole_names || options->csv)
        return FC_LABELS_WHOLE;
    if (options->export >= 0 || options->files->len > 0 || is_utf8_terminal())
        return FC_LABELS_SHORT;
    return FC_LABELS_ASCII;
}

static gboolean prints_json(const FcOptions *options)
{
    return options->export >= 0 && strcmp(options->table[options->export]->name, "json") == 0;
}

static gboolean prints_page(const FcOptions *options)
{
    for (guint i = 0; i < options->files->len; i++)
    {
        const guint row = g_array_index(options->files, FcExportFile, i).row;
        if (strcmp(options->table[row]->name, "html") == 0)
            return TRUE;
    }
    return FALSE;
}

static void free_text(gpointer text)
{
    if (text)
        g_string_free(text, TRUE);
}

/* The number of the process that the operand names; 0: it is a file's name. */
static gint process_of(const char *operand)
{
    return access(operand, F_OK) == 0 ? 0 : fc_control_pid(operand);
}

/* Snapshots of the processes among the operands.  If a process gives none, its text is NULL, and
 * `problems` gets the reason. */
static GHashTable *ask_processes(const FcOptions *options, GPtrArray *problems)
{
    GHashTable *texts = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_text);
    for (guint i = 0; options->operands->pdata[i]; i++)
    {
        g_autoptr(GError) error = NULL;
        char *operand = options->operands->pdata[i];
        const gint pid = process_of(operand);
        if (pid == 0)
            continue;
        GString *text = fc_control_ask(pid, FC_CONTROL_SNAPSHOT, &error);
        g_hash_table_insert(texts, operand, text);
        if (!text)
            g_ptr_array_add(problems, g_strdup(error->message));
    }
    return texts;
}

static FcLoad wanted_of(const FcOptions *options, const GPtrArray *images)
{
    const gboolean json = prints_json(options); /* it has all times separately */
    return (FcLoad){.operands = (const char *const *)options->operands->pdata,
                    .images = (const char *const *)images->pdata,
                    .demangle = options->demangle,
                    .labels = choose_labels(options),
                    .raw = options->raw,
                    .split = options->split || json || options->gmon,
                    .by_process =
                        prints_page(options) || (options->by == FC_BY_PROCESS &&
                                                 options->only->len + options->except->len > 0),
                    .by_rank = options->by_rank || options->merge,
                    .rank = options->by_rank ? options->rank : FC_NONE,
                    .time = json ? FC_TIME_PART_WALL : fc_options_time(options),
                    .processes = options->processes,
                    .threads = options->threads};
}

static FcModel *load(const FcOptions *options, GPtrArray *problems, GPtrArray *missing,
                     GPtrArray *notes)
{
    g_autoptr(GPtrArray) images = list_images(options, FALSE);
    g_autoptr(GHashTable) texts = ask_processes(options, problems);
    FcProgressLine line;
    FcLoad wanted = wanted_of(options, images);
    wanted.missing = missing;
    wanted.notes = notes;
    wanted.texts = texts;
    wanted.progress = fc_progress_start(&line);
    FcModel *model = fc_model_load(&wanted, problems);
    fc_progress_end(&line);
    return model;
}

/* --merge */
static int run_merge(const FcOptions *options)
{
    g_autoptr(GPtrArray) images = list_images(options, FALSE);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    g_autoptr(GHashTable) texts = ask_processes(options, problems);
    FcProgressLine line;
    FcLoad wanted = wanted_of(options, images);
    wanted.missing = missing;
    wanted.notes = notes;
    wanted.texts = texts;
    wanted.progress = fc_progress_start(&line);
    g_autoptr(FcProfile) sum = fc_load_sum(&wanted, problems);
    fc_progress_end(&line);
    if (sum && (!fc_export_may_write(options->merge, &error) ||
                !fc_profile_write(sum, AT_FDCWD, options->merge, &error)))
        g_ptr_array_add(problems, g_strdup_printf("%s: %s", options->merge, error->message));
    print_errors(problems, 0);
    print_errors(notes, 0);
    fc_missing_name_files(missing, options);
    print_errors(missing, 0);
    return problems->len + missing->len > 0 ? EXIT_INPUT : EXIT_DONE;
}

/* ---- Differences ------------------------------------------------------------- */

/* What is missing is one of the problems. */
static FcDiff *compare_runs(const FcOptions *options, GPtrArray *problems)
{
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    FcProgressLine line;
    FcDiff *diff = fc_compare_runs(options, choose_labels(options), fc_progress_start(&line),
                                   problems, missing, warnings, notes);
    fc_progress_end(&line);
    if (diff)
        fc_diff_rules_find_missing(options->rules, diff, missing);
    fc_missing_name_files(missing, options);
    fc_missing_name_files(warnings, options);
    if (diff)
        fc_diff_rules_find_unknown(options->rules, diff, missing);
    g_ptr_array_extend_and_steal(problems, g_steal_pointer(&missing));
    print_errors(problems, 0);
    print_errors(warnings, 0);
    print_errors(notes, 0);
    return diff;
}

static void print_diff(const FcReportContext *context)
{
    const FcOptions *options = context->options;
    if (asks_for(options, "json"))
        fc_export_diff_json(context);
    else if (asks_for(options, "folded"))
        fc_export_diff_folded(context);
    else if (options->markdown)
        fc_report_diff_markdown(context);
    else
    {
        const gboolean tree = asks_for(options, "tree");
        if (!options->csv || !tree)
            fc_report_diff(context);
        if (tree)
            fc_report_diff_tree(context);
    }
}

/* Writes pages: of the sum of the runs after, and of the difference.  FALSE if that failed. */
static gboolean export_diff(const FcReportContext *diff)
{
    const FcOptions *options = diff->options;
    g_autoptr(GPtrArray) told = g_ptr_array_new_with_free_func(g_free); /* by compare_runs */
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(FcModel) model = load(options, told, told, told);
    if (!model)
        return FALSE;
    const FcSelection selection = {.only = options->only,
                                   .except = options->except,
                                   .callees = options->propagate,
                                   .callers = options->rpropagate};
    g_autoptr(FcSuppressions) suppressions = load_suppressions(options, told);
    fc_select_apply(model, &selection, told, told);
    g_autoptr(FcMemory) memory = fc_memory_new(model, suppressions, options->only->len > 0);
    FcReportContext context = *diff;
    context.model = model;
    context.memory = memory;
    context.suppressions = suppressions;
    context.notes = notes;
    return print_exports(&context);
}

static int run_diff(const FcOptions *options)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) reasons = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(FcDiff) diff = compare_runs(options, problems);
    if (!diff)
        return EXIT_INPUT;
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    fc_diff_rules_check(options->rules, diff, reasons, notes);
    g_autoptr(FcRender) render = make_render(options);
    const FcReportContext context = {
        .options = options, .render = render, .diff = diff, .reasons = reasons};
    gboolean exported = TRUE;
    if (options->files->len > 0)
        exported = export_diff(&context);
    else
        print_diff(&context);
    print_errors(reasons, 0);
    print_errors(notes, 0);
    if (problems->len > 0 || !exported)
        return finish_output(EXIT_INPUT);
    return finish_output(reasons->len > 0 ? EXIT_FOUND : EXIT_DONE);
}

/* Makes 100% of the function with most total time that matches the pattern.  FALSE if none matches.
 */
static gboolean set_base(FcModel *model, const char *pattern)
{
    g_autofree gboolean *set = g_new0(gboolean, model->functions->len + 1);
    guint heaviest = 0;
    if (!fc_select_mark(model, pattern, set))
        return FALSE;
    while (!set[heaviest])
        heaviest++;
    for (guint i = heaviest + 1; i < model->functions->len; i++)
        if (set[i] && fc_model_function(model, i)->figures.times.total_ns >
                          fc_model_function(model, heaviest)->figures.times.total_ns)
            heaviest = i;
    fc_model_set_base(model, heaviest);
    return TRUE;
}

/* Why the exports are impossible with selected threads; NULL: they are possible. */
static const char *lacks_threads(const FcModel *model, const FcOptions *options)
{
    const gboolean any = options->export >= 0 || options->files->len > 0 || options->gmon;
    gboolean contexts = options->export >= 0 && !fc_report_table[options->export]->of_arcs;
    for (guint i = 0; i < options->files->len; i++)
        contexts |= !fc_report_table[g_array_index(options->files, FcExportFile, i).row]->of_arcs;
    if (any && model->lacks_arcs)
        return FC_MODEL_LACKS_ARCS;
    return contexts && model->of_threads ? FC_MODEL_LACKS_CONTEXTS : NULL;
}

/* Whether the exit status depends on memory records and the profile has none, which does not mean
 * that there are no leaks. */
static gboolean lacks_memory(const FcModel *model, const FcOptions *options)
{
    return (options->fail_on_leak || options->fail_on_bad_free) && model->profile->extended &&
           !model->profile->heap.recorded;
}

/* FALSE, with a message, if the profile lacks what the options ask for. */
static gboolean check_wishes(FcModel *model, const FcOptions *options)
{
    const char *lacks = lacks_threads(model, options);
    if (options->has_weight && !fc_weight_is_known(model, options->weight))
        fprintf(stderr, "fcdump: --weight=%s: the profile has no %s\n",
                fc_weight_name(options->weight),
                options->weight == FC_WEIGHT_CPU ? "other times, or none is told apart"
                                                 : "memory records");
    else if (lacks)
        fprintf(stderr, "fcdump: --thread: %s\n", lacks);
    else if (lacks_memory(model, options))
    {
        g_autofree char *path = fc_format_text(model->operands->pdata[0]);
        fprintf(stderr,
                "fcdump: %s: nothing is known of memory in %s%s: set FC_MEMORY=1 for the run\n",
                options->fail_on_leak ? "--fail-on-leak" : "--fail-on-bad-free", path,
                model->operands->len > 1 ? " and the others" : "");
    }
    else
        return TRUE;
    return FALSE;
}

/* Selects functions.  Appends names and patterns that match nothing to `missing`.  FALSE if no
 * report is possible then. */
static gboolean choose_functions(FcModel *model, const FcOptions *options, GPtrArray *missing)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    const FcSelection selection = {.only = options->only,
                                   .except = options->except,
                                   .callees = options->propagate,
                                   .callers = options->rpropagate};
    fc_select_apply(model, &selection, missing, warnings);
    fc_missing_find(model, options, missing);
    fc_missing_name_files(warnings, options);
    print_errors(warnings, 0);
    if (!options->base || set_base(model, options->base))
        return TRUE;
    g_ptr_array_add(missing, fc_select_missing("--base", options->base, "function"));
    return FALSE;
}

/* The runs for --runs; NULL if it was not asked for. */
static FcDiff *load_runs(const FcOptions *options)
{
    if (!asks_for(options, "runs"))
        return NULL;
    FcProgressLine line;
    FcDiff *runs = fc_compare_one_side(options, choose_labels(options), fc_progress_start(&line));
    fc_progress_end(&line);
    return runs;
}

/* ---- All of it --------------------------------------------------------------- */

static int run(const FcOptions *options)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    gboolean exported = TRUE;
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    fc_variables_find_misspelt(notes);
    g_autoptr(FcModel) model = load(options, problems, missing, notes);
    g_autoptr(FcSuppressions) suppressions = load_suppressions(options, problems);
    print_errors(problems, 0);
    print_errors(notes, 0);
    const gboolean has_base = model && choose_functions(model, options, missing);
    fc_missing_name_files(missing, options);
    print_errors(missing, 0);
    if (!model)
    {
        g_autoptr(GPtrArray) advice = g_ptr_array_new_with_free_func(g_free);
        const char *first = options->operands->pdata[0];
        if (!first || process_of(first) == 0)
            fc_nearby_advise((const char *const *)options->operands->pdata, advice);
        print_errors(advice, 0);
        return EXIT_INPUT;
    }
    if (!has_base || !check_wishes(model, options))
        return EXIT_INPUT;
    guint unnamed = print_errors(fc_symbols_warnings(model->symbols), 0);
    g_autoptr(FcMemory) memory = fc_memory_new(model, suppressions, options->only->len > 0);
    if (options->addresses && !prints_json(options))
        fc_model_use_addresses(model);
    if (options->gmon)
        exported = export_gmon(model, options);
    else
    {
        g_autoptr(FcDiff) runs = load_runs(options);
        exported = print_reports(model, memory, suppressions, runs, options);
    }
    /* Images are part of the input; lines are looked up while reports are printed. */
    unnamed = print_errors(fc_symbols_warnings(model->symbols), unnamed);
    if (problems->len + missing->len + unnamed > 0 || !exported)
        return finish_output(EXIT_INPUT);
    gboolean found = (options->fail_on_leak && memory->lost.blocks > 0) ||
                     (options->fail_on_bad_free && memory->bad_count > 0);
    return finish_output(found ? EXIT_FOUND : EXIT_DONE);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    setlocale(LC_CTYPE, "");
    g_autoptr(FcOptions) options = fc_options_parse(fc_report_table, argc, argv, &error);
    if (!options)
    {
        g_autofree char *text = fc_format_text(error->message);
        fprintf(stderr, "fcdump: %s\nTry 'fcdump --help'.\n", text);
        return EXIT_USAGE;
    }
    g_log_set_writer_func(write_log, options->debug ? &main : NULL, NULL);
    switch (options->action)
    {
    case FC_ACTION_HELP:
    {
        g_autofree char *help = fc_options_help(fc_report_table);
        static char buffer[1 << 16]; /* holds the whole text, so that writing fails in
                                        finish_output, if at all */
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
        fputs(help, stdout);
        return finish_output(EXIT_DONE);
    }
    case FC_ACTION_VERSION:
        puts("fcdump (FunctionCheck) " FC_VERSION);
        return finish_output(EXIT_DONE);
    case FC_ACTION_CONTACT:
        puts("Faults, questions and wishes: see \"Reporting faults\" in the manual\n"
             "(info libfc), and tell those from whom you have FunctionCheck.");
        return finish_output(EXIT_DONE);
    case FC_ACTION_REPORT:
    default:
        return options->merge  ? finish_output(run_merge(options))
               : options->diff ? run_diff(options)
                               : run(options);
    }
}
