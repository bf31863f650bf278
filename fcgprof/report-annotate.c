/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts by line: annotated source (-A) and execution counts (-C).  See reports.h.
 */
#include "fcgprof/reports.h"

#include "fcgprof/symspec.h"
#include "profile/output.h"
#include "profile/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Execution counts ---------------------------------------------------------------- */

/* By file, line and address where both files are known, else by address alone. */
static int compare_places(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    if (left->file && right->file)
    {
        int difference = strcmp(left->file->path, right->file->path);

        if (difference)
            return difference;
        if (left->line != right->line)
            return left->line - right->line;
    }
    return FC_GCOMPARE(left->addr, right->addr);
}

static void print_count(const FcGModel *model, const FcGSym *sym, guint64 addr, guint64 count)
{
    if (count == 0 && !model->options->show_zero)
        return;
    g_autofree char *path = fc_plain_text(sym->file ? sym->file->path : "<unknown>");
    g_autofree char *name = fc_plain_text(sym->name);
    fprintf(model->out, "%s:%d: (%s:0x%lx) %lu executions\n", path, sym->line, name,
            (gulong)(addr & model->addr_mask), (gulong)count);
}

void fc_greport_exec(FcGModel *model)
{
    g_autofree FcGSym **sorted = g_new(FcGSym *, model->symtab.len + 1);
    guint n = 0;

    fc_gmodel_begin_report(model);
    /* Chosen before they are sorted: compare_places() is not transitive, so that the
     * order of some depends on which others take part. */
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (fc_gspecs_selects(model->specs, FC_GTABLE_INCL_EXEC, sym->addr))
            sorted[n++] = sym;
    }
    fc_gsort((void **)sorted, n, compare_places);
    for (guint i = 0; i < n; i++)
    {
        const FcGSym *sym = sorted[i];

        /* The calls of a line are those of its call sites. */
        if (!sym->owner)
            print_count(model, sym, sym->addr, sym->ncalls);
        for (const FcGBlock *block = sym->blocks; block; block = block->next)
            print_count(model, sym, block->addr, block->count);
    }
}

/* ---- Annotated source ---------------------------------------------------------------- */

enum
{
    MARGIN_WIDTH = 16,
    TIME_WIDTH = 10 /* of one of the two before the margin, if times were measured */
};

static const char ARROW[] = " -> ";

/* One source line that has code.  Of several symbols the first one's nature and blocks
 * are shown, but the calls of all.  If times were measured the line is a function's where any
 * of them is one, and has its calls; else it has those that were made there, by call site. */
typedef struct
{
    const FcGSym *sym;
    gboolean is_shared; /* by several symbols */
    guint64 ncalls;
    double time;  /* own time of the functions that begin here, in ticks */
    double total; /* theirs with all that they called; else that of the calls made here */
    gboolean has_function;
    GString *sites; /* calls from each call site */
} Line;

typedef struct
{
    GHashTable *lines; /* Line* by number; no array, since #line makes numbers as it likes */
    guint64 ncalls;
    glong n_executable;
    glong n_executed;
} FileCounts;

typedef struct
{
    FcGModel *model;
    FileCounts *counts;   /* of the file at hand */
    guint64 last_count;   /* last block's, kept from line to line and file to file */
    gboolean has_earlier; /* a file was printed already */
    GHashTable *written;  /* -y: names of files */
} Annotator;

static void add_count(GString *text, guint64 count)
{
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, text->len ? "," : "", count);
}

/* The calls that a function makes on its first line are part of its own total. */
static void add_measured(Line *line, const FcGSym *sym)
{
    if (sym->is_func)
    {
        line->total = line->has_function ? line->total : 0.0;
        line->ncalls = line->has_function ? line->ncalls : 0;
        line->has_function = TRUE;
        line->time += sym->time;
    }
    else if (line->has_function)
    {
        return;
    }
    line->total += sym->time + sym->child_time;
    line->ncalls += sym->ncalls;
    for (const FcGBlock *block = sym->blocks; block; block = block->next)
        add_count(line->sites, block->count);
}

static Line *line_at(const FileCounts *counts, int number)
{
    return g_hash_table_lookup(counts->lines, GINT_TO_POINTER(number));
}

static void add_to_line(FcGModel *model, FileCounts *counts, const FcGSym *sym)
{
    Line *line = line_at(counts, sym->line);

    if (line)
    {
        line->is_shared = TRUE;
    }
    else
    {
        line = fc_gmodel_alloc(model, sizeof *line);
        line->sym = sym;
        line->sites = g_string_new(NULL);
        g_hash_table_insert(counts->lines, GINT_TO_POINTER(sym->line), line);
    }
    guint64 before = line->ncalls;
    if (model->measured)
        add_measured(line, sym);
    else
        line->ncalls += sym->ncalls;
    counts->ncalls += line->ncalls - before;
}

static void free_line(gpointer data)
{
    g_string_free(((Line *)data)->sites, TRUE);
}

static void free_counts(gpointer data)
{
    g_hash_table_destroy(((FileCounts *)data)->lines);
}

static GHashTable *count_lines(FcGModel *model)
{
    GHashTable *files = g_hash_table_new_full(NULL, NULL, NULL, free_counts);

    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        if (!sym->file || sym->line <= 0 ||
            !fc_gspecs_selects(model->specs, FC_GTABLE_INCL_ANNO, sym->addr))
            continue;
        FileCounts *counts = g_hash_table_lookup(files, sym->file);
        if (!counts)
        {
            counts = fc_gmodel_alloc(model, sizeof *counts);
            counts->lines = g_hash_table_new_full(NULL, NULL, NULL, free_line);
            g_hash_table_insert(files, sym->file, counts);
        }
        add_to_line(model, counts, sym);
    }
    return files;
}

/* The count of a line where times were measured, or those of its call sites; their sum where
 * these are too many for the margin.  NULL if it has nothing to say; `*sum` is the sum. */
static char *measured_text(Annotator *annotator, const Line *line, guint64 *sum)
{
    gboolean has_sites = !line->has_function && line->sites->len > 0;

    if (line->has_function || has_sites)
        annotator->last_count = line->ncalls;
    else if (!annotator->model->options->all_lines)
        return NULL;
    *sum = annotator->last_count;
    if (has_sites && line->sites->len <= MARGIN_WIDTH - strlen(ARROW))
        return g_strdup(line->sites->str);
    return g_strdup_printf("%" G_GUINT64_FORMAT, *sum);
}

/* The same of a line of samples. */
static char *count_text(Annotator *annotator, const Line *line, guint64 *sum)
{
    gboolean all_lines = annotator->model->options->all_lines;
    guint64 line_addr = line->is_shared ? 0 : line->sym->addr;
    const FcGBlock *block = line->sym->blocks;
    GString *text = g_string_new(NULL);

    *sum = 0;
    if (line->sym->is_func)
        annotator->last_count = line->ncalls;
    if (line->sym->is_func || (all_lines && (!block || block->addr > line_addr)))
    {
        *sum = annotator->last_count;
        add_count(text, *sum);
    }
    for (; block; block = block->next)
    {
        gboolean is_shown = !all_lines || text->len == 0 || block->count != annotator->last_count;

        annotator->last_count = block->count;
        *sum += block->count;
        if (is_shown)
            add_count(text, block->count);
    }
    return g_string_free(text, text->len == 0);
}

static void print_margin(Annotator *annotator, int number, FILE *out)
{
    FileCounts *counts = annotator->counts;
    const Line *line = line_at(counts, number);
    g_autofree char *text = NULL, *margin = NULL;
    guint64 sum;

    if (annotator->model->measured)
    {
        fc_gmeasured_print_short(out, TIME_WIDTH, line ? line->time : 0.0);
        fc_gmeasured_print_short(out, TIME_WIDTH, line ? line->total : 0.0);
    }
    if (line && line->sym)
    {
        counts->n_executable++;
        text = annotator->model->measured ? measured_text(annotator, line, &sum)
                                          : count_text(annotator, line, &sum);
    }
    if (!text)
    {
        fprintf(out, "%*s", MARGIN_WIDTH, "");
        return;
    }
    counts->n_executed++;
    margin = g_strconcat(sum < annotator->model->options->min_count ? "#####" : text, ARROW, NULL);
    fprintf(out, "%*.*s", MARGIN_WIDTH, MARGIN_WIDTH, margin);
}

/* The image may name anything: without O_NONBLOCK a FIFO would hang us, and a device may have no
 * end. */
static FILE *open_regular(const char *path)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fdopen(fd, "r");
    close(fd);
    errno = EINVAL;
    return NULL;
}

/* Looks for the source as named, then in the directories of -I: with its whole relative
 * name, then with its base name. */
static FILE *open_source(const FcGModel *model, const FcGFile *file)
{
    const GPtrArray *dirs = model->options->dirs;
    FILE *source = open_regular(file->path);
    gboolean is_absolute = file->path[0] == '/';

    for (guint i = 0; !source && !is_absolute && i < dirs->len; i++)
    {
        g_autofree char *path = g_strconcat(g_ptr_array_index(dirs, i), "/", file->path, NULL);

        source = open_regular(path);
    }
    for (guint i = 0; !source && file->base != file->path && i < dirs->len; i++)
    {
        g_autofree char *path = g_strconcat(g_ptr_array_index(dirs, i), "/", file->base, NULL);

        source = open_regular(path);
    }
    if (!source)
    {
        const char *reason = g_strerror(errno);
        g_autofree char *path = fc_plain_text(file->path);
        fprintf(stderr, "fcgprof: %s: source not found: %s\n", path, reason);
    }
    return source;
}

/* gprof's name; where times were measured, sources of one base name have files of their own. */
static char *choose_file(Annotator *annotator, const FcGFile *file)
{
    char *path = g_strconcat(file->base, "-ann", NULL);

    for (guint i = 2; annotator->model->measured && g_hash_table_contains(annotator->written, path);
         i++)
    {
        g_free(path);
        path = g_strdup_printf("%s-ann.%u", file->base, i);
    }
    g_hash_table_add(annotator->written, g_strdup(path));
    return path;
}

/* In the report. */
static FILE *begin_part(Annotator *annotator, const FcGFile *file)
{
    FcGModel *model = annotator->model;

    if (annotator->has_earlier)
        fputc('\n', model->out);
    annotator->has_earlier = TRUE;
    fc_gmodel_begin_report(model);
    g_autofree char *path = fc_plain_text(file->path);
    fprintf(model->out, "*** File %s:\n", path);
    return model->out;
}

static int compare_counts(const void *a, const void *b)
{
    const Line *left = a, *right = b;
    int order = FC_GCOMPARE(right->ncalls, left->ncalls);

    return order != 0 ? order : left->sym->line - right->sym->line;
}

static void print_top_lines(const Annotator *annotator, FILE *out)
{
    FileCounts *counts = annotator->counts;
    int n_rows = annotator->model->options->table_length;
    GHashTableIter at;
    gpointer line_data;

    if (n_rows <= 0)
        return;
    fprintf(out, "\n\nTop %d Lines:\n\n     Line      Count%s\n\n", n_rows,
            annotator->model->measured ? "       Self      Total" : "");
    GPtrArray *lines = g_ptr_array_new();
    g_hash_table_iter_init(&at, counts->lines);
    while (g_hash_table_iter_next(&at, NULL, &line_data))
        g_ptr_array_add(lines, line_data);
    fc_gsort(lines->pdata, lines->len, compare_counts);
    for (guint i = 0; i < lines->len && i < (guint)n_rows; i++)
    {
        const Line *line = g_ptr_array_index(lines, i);

        if (line->ncalls == 0)
            break;
        fprintf(out, "%9d %10lu", line->sym->line, (gulong)line->ncalls);
        if (annotator->model->measured)
        {
            fc_gmeasured_print_short(out, TIME_WIDTH + 1, line->time);
            fc_gmeasured_print_short(out, TIME_WIDTH + 1, line->total);
        }
        fputc('\n', out);
    }
    g_ptr_array_free(lines, TRUE);
}

static void print_summary(const FileCounts *counts, FILE *out)
{
    double n = (double)counts->n_executable;

    fputs("\nExecution Summary:\n\n", out);
    fprintf(out, "%9ld   Executable lines in this file\n", counts->n_executable);
    fprintf(out, "%9ld   Lines executed\n", counts->n_executed);
    fprintf(out, "%9.2f   Percent of the file executed\n",
            counts->n_executable ? 100.0 * (double)counts->n_executed / n : 100.0);
    fprintf(out, "\n%9lu   Total number of line executions\n", (gulong)counts->ncalls);
    fprintf(out, "%9.2f   Average executions per line\n",
            counts->n_executable ? (double)counts->ncalls / n : 0.0);
}

static void annotate_file(Annotator *annotator, FILE *source, FILE *out)
{
    gboolean is_line_start = TRUE;
    char buffer[8192];
    int number = 0;

    while (fgets(buffer, sizeof buffer, source))
    {
        if (is_line_start)
            print_margin(annotator, ++number, out);
        is_line_start = strchr(buffer, '\n') != NULL;
        fputs(buffer, out);
    }
    print_top_lines(annotator, out);
    print_summary(annotator->counts, out);
}

/* Into a file of its own (-y).  FALSE where it was not written. */
static gboolean write_file(Annotator *annotator, const FcGFile *file, FILE *source)
{
    g_autofree char *path = choose_file(annotator, file);
    g_autoptr(GError) error = NULL;
    FcOutput *output = fc_output_begin(path, &error);

    if (output)
        annotate_file(annotator, source, fc_output_stream(output));
    if (output && fc_output_end(output, TRUE, &error))
        return TRUE;
    g_autofree char *text = g_strdup_printf("%s: %s", path, error->message);
    g_autofree char *plain = fc_plain_text(text);
    fprintf(stderr, "fcgprof: %s\n", plain);
    return FALSE;
}

gboolean fc_greport_annotate(FcGModel *model)
{
    g_autoptr(GHashTable) written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Annotator annotator = {.model = model, .written = written};
    GHashTable *files = count_lines(model);
    gboolean good = TRUE;

    for (const FcGFile *file = model->files; file; file = file->next)
    {
        annotator.counts = g_hash_table_lookup(files, file);
        if (!annotator.counts || (!model->options->show_zero && annotator.counts->ncalls == 0))
            continue;
        FILE *source = open_source(model, file);
        if (!source)
            continue;
        if (!model->options->separate_files)
            annotate_file(&annotator, source, begin_part(&annotator, file));
        else if (!write_file(&annotator, file, source))
            good = FALSE;
        fclose(source);
    }
    g_hash_table_destroy(files);
    return good;
}
