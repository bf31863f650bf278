/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fctop: the functions of a running program as they run.  Only this file and screen.c print.  Exit
 * status: 0 done, 1 the program could not be asked, 2 wrong usage.
 */
#include "control/control.h"
#include "fctop/screen.h"
#include "profile/plain.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum
{
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
};

typedef struct
{
    double delay_s;
    gint count; /* samples of --batch; 0: until the process ends */
    gboolean batch;
    gboolean threads;
    char *sort;
    char *only;
    gboolean version;
    gboolean help;
} Options;

static void print_error(const char *text)
{
    g_autofree char *plain = fc_plain_text(text);
    fprintf(stderr, "fctop: %s\n", plain);
}

/* Flushes the output and returns the exit status: `status`, or failure if the output could not
 * be written.  A reader that has closed the pipe is no failure. */
static int finish_output(int status)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return status;
    fprintf(stderr, "fctop: standard output: %s\n", g_strerror(errno != 0 ? errno : EIO));
    return EXIT_FAILED;
}

static int fail_usage(const char *text)
{
    print_error(text);
    fputs("Try 'fctop --help'.\n", stderr);
    return EXIT_USAGE;
}

/* ---- Batch ------------------------------------------------------------------------------- */

static void print_lines(GPtrArray *lines)
{
    for (guint i = 0; i < lines->len; i++)
        puts(lines->pdata[i]);
    g_ptr_array_unref(lines);
}

/* FALSE and *error: the process could not be asked, not even once. */
static gboolean run_batch(FcTop *top, const FcTopView *view, const Options *options, GError **error)
{
    g_autoptr(FcTopSample) first = fc_top_take(top, error);
    for (gint i = 0; first && (options->count == 0 || i < options->count); i++)
    {
        g_usleep((gulong)(options->delay_s * G_USEC_PER_SEC));
        g_autoptr(FcTopSample) sample = fc_top_take(top, i == 0 ? error : NULL);
        if (!sample)
            return i > 0; /* it has ended */
        if (i > 0)
            putchar('\n');
        print_lines(fc_top_head(sample, view));
        print_lines(fc_top_rows(sample, view));
        if (fflush(stdout) != 0)
            return TRUE; /* finish_output says why */
    }
    return first != NULL;
}

/* ---- The command line -------------------------------------------------------------------- */

static const char *const orders[] = {"cpu", "total", "wait", "calls"};

static gboolean find_order(const char *name, FcTopOrder *order)
{
    for (guint i = 0; i < G_N_ELEMENTS(orders); i++)
    {
        if (strcmp(name, orders[i]) != 0)
            continue;
        *order = (FcTopOrder)i;
        return TRUE;
    }
    return FALSE;
}

static int run(const Options *options, gint count, char **words)
{
    g_autoptr(GError) error = NULL;
    FcTopView view = {.has_threads = options->threads, .filter = options->only};
    if (count != 1)
        return fail_usage(count == 0 ? "no process is named" : "one process at a time");
    const gint pid = fc_control_pid(words[0]);
    if (pid == 0)
    {
        g_autofree char *text = g_strdup_printf("%s: not the number of a process", words[0]);
        return fail_usage(text);
    }
    if (options->sort && !find_order(options->sort, &view.order))
        return fail_usage("--sort is cpu, total, wait or calls");
    if (!(options->delay_s >= 0.1 && options->delay_s <= 86400))
        return fail_usage("--delay is from 0.1 to 86400 seconds");
    if (options->count < 0)
        return fail_usage("--count is 0 or more");
    if (!options->batch && !(isatty(STDOUT_FILENO) && isatty(STDIN_FILENO)))
        return fail_usage("this is no terminal: use --batch");
    g_autoptr(FcTop) top = fc_top_new(pid);
    if (options->batch ? run_batch(top, &view, options, &error)
                       : fc_top_run_screen(top, &view, options->delay_s, &error))
        return finish_output(EXIT_DONE);
    print_error(error->message);
    return EXIT_FAILED;
}

static int parse_and_run(int argc, char **argv, Options *options)
{
    const GOptionEntry entries[] = {
        {"delay", 'd', 0, G_OPTION_ARG_DOUBLE, &options->delay_s, "time between two samples (2)",
         "SECONDS"},
        {"batch", 'b', 0, G_OPTION_ARG_NONE, &options->batch, "print each sample as text", NULL},
        {"count", 'n', 0, G_OPTION_ARG_INT, &options->count,
         "with --batch, so many samples (until the program ends)", "N"},
        {"sort", 's', 0, G_OPTION_ARG_STRING, &options->sort,
         "order the rows by cpu, total, wait or calls (cpu)", "COLUMN"},
        {"threads", 'H', 0, G_OPTION_ARG_NONE, &options->threads, "show threads, not functions",
         NULL},
        {"only", 'F', 0, G_OPTION_ARG_STRING, &options->only,
         "show only rows whose names have TEXT in them", "TEXT"},
        {"version", 0, 0, G_OPTION_ARG_NONE, &options->version, "print the version", NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &options->help, "print this text", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new("PID");
    g_option_context_set_summary(
        context, "Shows which functions of a profiled program take the time, as it runs.\n"
                 "Keys: P T W C order, I inverts, H threads, \\ or F4 filter, Z stops, q leaves.");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_help_enabled(context, FALSE); /* GLib's --help ignores failed writes */
    if (!g_option_context_parse(context, &argc, &argv, &error))
        return fail_usage(error->message);
    if (options->help)
    {
        g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
        fputs(text, stdout);
        return finish_output(EXIT_DONE);
    }
    if (options->version)
    {
        puts("fctop (FunctionCheck) " FC_VERSION);
        return finish_output(EXIT_DONE);
    }
    return run(options, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    Options options = {.delay_s = 2};
    setlocale(LC_CTYPE, "");
    const int status = parse_and_run(argc, argv, &options);
    g_free(options.sort);
    g_free(options.only);
    return status;
}
