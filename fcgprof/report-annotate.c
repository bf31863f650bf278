/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Annotated source (-A).  See reports.h.
 */
#include "fcgprof/reports.h"

#include "fcgprof/measured.h"
#include "fcgprof/symspec.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    GArray *sites; /* guint64: calls from each call site; NULL: none */
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

static void add_sites(Line *line, const FcGBlocks *blocks)
{
    for (; blocks; blocks = blocks->next)
    {
        for (guint i = 0; i < FC_GBLOCKS_MAX && blocks->addr[i]; i++)
        {
            if (!line->sites)
                line->sites = g_array_new(FALSE, FALSE, sizeof(guint64));
            g_array_append_val(line->sites, blocks->count[i]);
        }
    }
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
    add_sites(line, sym->blocks);
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
    const Line *line = data;

    if (line->sites)
        g_array_unref(line->sites);
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
            !fc_gspecs_selects(model->specs, FC_GTABLE_INCL_ANNO, FC_GTABLE_EXCL_ANNO, sym->addr))
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
    const GArray *sites = line->has_function ? NULL : line->sites;
    gboolean all_lines = annotator->model->options->all_lines;
    g_autoptr(GString) text = g_string_new(NULL);

    if (!line->has_function && !sites && !all_lines)
        return NULL;
    if (line->has_function || sites)
        annotator->last_count = line->ncalls;
    for (guint i = 0; sites && i < sites->len; i++)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, text->len ? "," : "",
                               g_array_index(sites, guint64, i));
    *sum = annotator->last_count;
    if (text->len > 0 && text->len <= MARGIN_WIDTH - strlen(ARROW))
        return g_strdup(text->str);
    return g_strdup_printf("%" G_GUINT64_FORMAT, *sum);
}

/* The same of a line of samples. */
static char *count_text(Annotator *annotator, const Line *line, guint64 *sum)
{
    gboolean all_lines = annotator->model->options->all_lines, has_count = FALSE;
    guint64 line_addr = line->is_shared ? 0 : line->sym->addr, last_shown = G_MAXUINT64;
    const FcGBlocks *blocks = line->sym->blocks;
    GString *text = g_string_new(NULL);

    *sum = 0;
    if (line->sym->is_func)
    {
        g_string_append_printf(text, "%lu", (gulong)line->ncalls);
        annotator->last_count = last_shown = *sum = line->ncalls;
        has_count = TRUE;
    }
    else if (all_lines && blocks && blocks->addr[0] > line_addr)
    {
        g_string_append_printf(text, "%lu", (gulong)annotator->last_count);
        last_shown = *sum = annotator->last_count;
        has_count = TRUE;
    }
    for (guint i = 0; blocks && i < FC_GBLOCKS_MAX && blocks->addr[i]; i++)
    {
        annotator->last_count = blocks->count[i];
        *sum += blocks->count[i];
        has_count = TRUE;
        if (all_lines && annotator->last_count == last_shown)
            continue;
        g_string_append_printf(text, "%s%lu", text->len ? "," : "", (gulong)blocks->count[i]);
        last_shown = blocks->count[i];
    }
    if (all_lines && text->len == 0)
    {
        g_string_append_printf(text, "%lu", (gulong)annotator->last_count);
        *sum = annotator->last_count;
        has_count = TRUE;
    }
    return g_string_free(text, !has_count);
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
        fprintf(stderr, "fcgprof: %s: source not found: %s\n", file->path, g_strerror(errno));
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

/* Where the annotated file goes: the report, or a file of its own (-y). */
static FILE *open_output(Annotator *annotator, const FcGFile *file)
{
    FcGModel *model = annotator->model;

    if (!model->options->separate_files)
    {
        if (annotator->has_earlier)
            fputc('\n', model->out);
        annotator->has_earlier = TRUE;
        fc_gmodel_begin_report(model);
        fprintf(model->out, "*** File %s:\n", file->path);
        return model->out;
    }
    g_autofree char *path = choose_file(annotator, file);
    FILE *out = fopen(path, "w");
    if (!out)
        fprintf(stderr, "fcgprof: %s: %s\n", path, g_strerror(errno));
    return out;
}

static int compare_counts(const void *a, const void *b)
{
    const Line *left = a, *right = b;

    if (left->ncalls != right->ncalls)
        return left->ncalls < right->ncalls ? 1 : -1;
    return left->sym->line - right->sym->line;
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

static void annotate_file(Annotator *annotator, const FcGFile *file)
{
    FILE *source = open_source(annotator->model, file), *out;
    gboolean is_line_start = TRUE;
    char buffer[8192];
    int number = 0;

    if (!source)
        return;
    out = open_output(annotator, file);
    while (out && fgets(buffer, sizeof buffer, source))
    {
        if (is_line_start)
            print_margin(annotator, ++number, out);
        is_line_start = strchr(buffer, '\n') != NULL;
        fputs(buffer, out);
    }
    fclose(source);
    if (!out)
        return;
    print_top_lines(annotator, out);
    print_summary(annotator->counts, out);
    if (out != annotator->model->out)
        fclose(out);
}

void fc_greport_annotate(FcGModel *model)
{
    g_autoptr(GHashTable) written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Annotator annotator = {.model = model, .written = written};
    GHashTable *files = count_lines(model);

    for (const FcGFile *file = model->files; file; file = file->next)
    {
        annotator.counts = g_hash_table_lookup(files, file);
        if (annotator.counts && (model->options->show_zero || annotator.counts->ncalls > 0))
            annotate_file(&annotator, file);
    }
    g_hash_table_destroy(files);
}
