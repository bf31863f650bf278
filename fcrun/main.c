/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcrun: runs a profiled program without notices, with a separate profile, and then shows fcdump's
 * first screen.  Standard output belongs to the program.  fcrun and fcdump print to standard error.
 * Only this file of the tool prints and exits.  Exit status: the program's; 125 if fcrun itself
 * fails.
 */
#include "fcrun/child.h"
#include "model/statistics.h"
#include "profile/plain.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_FAULT 125
/* How long to wait for the profile.  It is complete when a program ends by itself, and soon
 * after it was killed.  If there are several processes, the last one may run a little longer. */
#define WAIT_US (2 * G_USEC_PER_SEC)
#define WAIT_KILLED_US (10 * G_USEC_PER_SEC)
#define POLL_US 20000

typedef struct
{
    gboolean all;
    gboolean html;
    gboolean memory;
    gint repeat;
    char *output;   /* NULL: fcrun chooses a free name */
    GStrv compared; /* NULL: none */
} Options;

/* The runs so far. */
typedef struct
{
    GPtrArray *profiles; /* char *: paths, owned */
    FcMoments elapsed;   /* seconds */
    FcMoments cpu;
    guint count;
} Runs;

static void print_error(const char *text)
{
    g_autofree char *plain = fc_plain_text(text);
    fprintf(stderr, "fcrun: %s\n", plain);
}

/* ---- Names ------------------------------------------------------------------------------ */

/* Returns the profile's path without its extension.  The caller frees it. */
static char *path_of(const char *name)
{
    const char *folder = g_getenv("FC_DUMP_PATH");
    return folder && *folder != '\0' ? g_build_filename(folder, name, NULL) : g_strdup(name);
}

static gboolean is_there(const char *name, const char *ending)
{
    g_autofree char *path = path_of(name);
    g_autofree char *file = g_strconcat(path, ending, NULL);
    return access(file, F_OK) == 0;
}

/* Returns "prog-1", or the name with the first number that no profile has.  The caller frees it. */
static char *free_name(const char *program)
{
    g_autofree char *base = g_path_get_basename(program);
    g_strdelimit(base, "%/ ", '_'); /* % begins a pattern in FC_DUMP_NAME */
    for (guint number = 1;; number++)
    {
        char *name = g_strdup_printf("%s-%u", base, number);
        if (!is_there(name, ".fc") && !is_there(name, ".fcd"))
            return name;
        g_free(name);
    }
}

static char *name_of_run(const Options *options, const char *program, guint number)
{
    if (!options->output)
        return free_name(program);
    g_autofree char *base = g_str_has_suffix(options->output, ".fc")
                                ? g_strndup(options->output, strlen(options->output) - 3)
                                : g_strdup(options->output);
    return options->repeat > 1 ? g_strdup_printf("%s-%u", base, number) : g_steal_pointer(&base);
}

/* ---- Running ---------------------------------------------------------------------------- */

static char **environment_of(const Options *options, const char *name)
{
    char **environment = g_get_environ();
    environment = g_environ_setenv(environment, "FC_DUMP_NAME", name, TRUE);
    environment = g_environ_setenv(environment, "FC_QUIET", "1", TRUE);
    environment = g_environ_unsetenv(environment, "FC_VERBOSE");
    environment = g_environ_unsetenv(environment, "FC_USE_PID");
    if (options->memory)
        environment = g_environ_setenv(environment, "FC_MEMORY", "1", TRUE);
    return environment;
}

/* Waits for the profile and returns its path, which the caller frees; NULL: none came. */
static char *wait_for_profile(const char *name, gint64 begun_us, gint64 wait_us)
{
    static const char *const endings[] = {".fc", ".fcd"};
    g_autofree char *path = path_of(name);
    const gint64 end_us = g_get_monotonic_time() + wait_us;
    for (;;)
    {
        for (guint i = 0; i < G_N_ELEMENTS(endings); i++)
        {
            g_autofree char *file = g_strconcat(path, endings[i], NULL);
            struct stat found;
            /* an older profile may have that name */
            if (stat(file, &found) == 0 &&
                found.st_mtim.tv_sec * G_USEC_PER_SEC + found.st_mtim.tv_nsec / 1000 >= begun_us)
                return g_steal_pointer(&file);
        }
        if (g_get_monotonic_time() >= end_us)
            return NULL;
        g_usleep(POLL_US);
    }
}

/* Runs the program once, sets *status, and adds its profile and times to `runs`.  FALSE: the
 * program failed or left no profile, so it is not run again. */
static gboolean run_once(const Options *options, char **words, Runs *runs, gint *status)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *name = name_of_run(options, words[0], runs->count + 1);
    g_auto(GStrv) environment = environment_of(options, name);
    /* time stamps of files may be some milliseconds late */
    const gint64 begun_us = g_get_real_time() - G_USEC_PER_SEC / 10;
    FcChild child;
    const gboolean is_run = fc_child_run(words, environment, &child, &error);
    *status = child.status;
    if (!is_run)
    {
        print_error(error->message);
        return FALSE;
    }
    fc_moments_add(&runs->elapsed, runs->count, (double)child.elapsed_us / G_USEC_PER_SEC);
    fc_moments_add(&runs->cpu, runs->count, (double)child.cpu_us / G_USEC_PER_SEC);
    runs->count++;
    char *profile = wait_for_profile(name, begun_us, child.signal != 0 ? WAIT_KILLED_US : WAIT_US);
    if (profile)
        g_ptr_array_add(runs->profiles, profile);
    else
    {
        g_autofree char *text = g_strdup_printf(
            "%s: there is no profile %s: was it compiled with fc-config's flags?", words[0], name);
        print_error(text);
    }
    return profile && child.status == 0;
}

/* ---- What is shown ---------------------------------------------------------------------- */

/* Finds fcdump beside this program, or else in PATH.  The caller frees the path. */
static char *find_fcdump(void)
{
    g_autofree char *own = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = own ? g_path_get_dirname(own) : NULL;
    g_autofree char *path = folder ? g_build_filename(folder, "fcdump", NULL) : NULL;
    return path && access(path, X_OK) == 0 ? g_steal_pointer(&path) : g_strdup("fcdump");
}

static void to_standard_error(gpointer unused)
{
    (void)unused;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Appends the profiles of the runs to `words` (char *, borrowed), and runs that command.  FALSE:
 * it failed, and the reason was printed. */
static gboolean show(GPtrArray *words, const Runs *runs)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "FC_PAGER", "cat", TRUE);
    gint status = 0;
    for (guint i = 0; i < runs->profiles->len; i++)
        g_ptr_array_add(words, runs->profiles->pdata[i]);
    g_ptr_array_add(words, NULL);
    if (!g_spawn_sync(NULL, (char **)words->pdata, environment, G_SPAWN_SEARCH_PATH,
                      to_standard_error, NULL, NULL, NULL, &status, &error))
    {
        print_error(error->message);
        return FALSE;
    }
    return status == 0; /* fcdump has printed the reason */
}

static gboolean show_screen(const Options *options, char *fcdump, const Runs *runs)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, fcdump);
    if (runs->profiles->len > 1)
        g_ptr_array_add(words, (gpointer) "--runs");
    if (options->all)
        g_ptr_array_add(words, (gpointer) "--all");
    return show(words, runs);
}

static gboolean show_changes(const Options *options, char *fcdump, const Runs *runs)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, fcdump);
    g_ptr_array_add(words, (gpointer) "--diff");
    if (options->all)
        g_ptr_array_add(words, (gpointer) "--all");
    for (guint i = 0; options->compared[i]; i++)
        g_ptr_array_add(words, options->compared[i]);
    g_ptr_array_add(words, (gpointer) "--");
    return show(words, runs);
}

/* Lets fcdump write a page that is named after the first profile. */
static gboolean write_page(char *fcdump, const Runs *runs)
{
    const char *profile = runs->profiles->pdata[0];
    g_autofree char *base = g_strndup(profile, (gsize)(strrchr(profile, '.') - profile));
    g_autofree char *page = g_strconcat(base, ".html", NULL);
    g_autofree char *option = g_strconcat("--html=", page, NULL);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, fcdump);
    g_ptr_array_add(words, option);
    if (!show(words, runs))
        return FALSE;
    fprintf(stderr, "Page: %s\n", page);
    return TRUE;
}

/* Returns "1.23 s +-0.04 s": the mean and half the width of its confidence interval.  The caller
 * frees it. */
static char *format_spread(const FcMoments *moments, guint count)
{
    return g_strdup_printf("%.3g s +-%.2g s", moments->mean, fc_moments_bound(moments, count));
}

static void print_spreads(const Runs *runs)
{
    if (runs->count < 2)
        return;
    g_autofree char *elapsed = format_spread(&runs->elapsed, runs->count);
    g_autofree char *cpu = format_spread(&runs->cpu, runs->count);
    fprintf(stderr, "%u runs: elapsed %s, CPU %s (%.0f%% intervals of the mean)\n\n", runs->count,
            elapsed, cpu, 100 * FC_INTERVAL_SURE);
}

static gboolean show_all(const Options *options, const Runs *runs)
{
    g_autofree char *fcdump = find_fcdump();
    print_spreads(runs);
    const gboolean is_shown = options->compared ? show_changes(options, fcdump, runs)
                                                : show_screen(options, fcdump, runs);
    if (!is_shown || (options->html && !write_page(fcdump, runs)))
        return FALSE;
    g_autofree char *first = fc_plain_text(runs->profiles->pdata[0]);
    g_autofree char *last = fc_plain_text(runs->profiles->pdata[runs->profiles->len - 1]);
    fprintf(stderr, "Profile%s: %s%s%s\n", runs->profiles->len > 1 ? "s" : "", first,
            runs->profiles->len > 1 ? " to " : "", runs->profiles->len > 1 ? last : "");
    return TRUE;
}

static int run(const Options *options, char **words)
{
    g_autoptr(GPtrArray) profiles = g_ptr_array_new_with_free_func(g_free);
    Runs runs = {.profiles = profiles};
    gint status = OWN_FAULT;
    while ((gint)runs.count < options->repeat)
        if (!run_once(options, words, &runs, &status))
            break;
    if ((gint)runs.count < options->repeat && status != 0 && runs.count > 0)
    {
        g_autofree char *text =
            g_strdup_printf("%s: run %u of %d ended with status %d, so it was the last", words[0],
                            runs.count, options->repeat, status);
        print_error(text);
    }
    if (profiles->len > 0 && !show_all(options, &runs) && status == 0)
        return OWN_FAULT;
    return status;
}

/* ---- The command line -------------------------------------------------------------------- */

static int fail_usage(const char *text)
{
    print_error(text);
    fputs("Try 'fcrun --help'.\n", stderr);
    return OWN_FAULT;
}

static int finish_output(void)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return 0;
    fprintf(stderr, "fcrun: standard output: %s\n", g_strerror(errno != 0 ? errno : EIO));
    return OWN_FAULT;
}

static void free_options(Options *options)
{
    g_free(options->output);
    g_strfreev(options->compared);
}

static int run_words(const Options *options, int count, char **words)
{
    if (options->repeat < 1)
        return fail_usage("--repeat: fewer than one run");
    if (count > 0 && strcmp(words[0], "--") == 0)
        words++, count--;
    if (count == 0)
        return fail_usage("no program is named");
    return run(options, words);
}

int main(int argc, char **argv)
{
    gboolean version = FALSE;
    gboolean help = FALSE;
    Options options = {.repeat = 1};
    const GOptionEntry entries[] = {
        {"all", 0, 0, G_OPTION_ARG_NONE, &options.all, "show all functions", NULL},
        {"html", 0, 0, G_OPTION_ARG_NONE, &options.html, "write a page as well: NAME.html", NULL},
        {"memory", 0, 0, G_OPTION_ARG_NONE, &options.memory, "record memory as well", NULL},
        {"repeat", 0, 0, G_OPTION_ARG_INT, &options.repeat,
         "run it N times, and tell how the times spread", "N"},
        {"compare", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.compared,
         "show what changed since the profile OLD; may be repeated", "OLD"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "the profile is NAME.fc, not PROGRAM-1.fc or with the next free number", "NAME"},
        {"version", 0, 0, G_OPTION_ARG_NONE, &version, "print the version", NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "print this text", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autoptr(GError) error = NULL;
    setlocale(LC_CTYPE, "");
    g_autoptr(GOptionContext) context = g_option_context_new("-- PROGRAM [ARGUMENT]...");
    g_option_context_set_summary(context, "Runs a profiled program and shows where its time went.");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_strict_posix(context, TRUE);
    g_option_context_set_help_enabled(context, FALSE); /* GLib's --help ignores failed writes */
    int status = 0;
    if (!g_option_context_parse(context, &argc, &argv, &error))
        status = fail_usage(error->message);
    else if (help)
    {
        g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
        fputs(text, stdout);
        status = finish_output();
    }
    else if (version)
    {
        puts("fcrun (FunctionCheck) " FC_VERSION);
        status = finish_output();
    }
    else
        status = run_words(&options, argc - 1, argv + 1);
    free_options(&options);
    return status;
}
