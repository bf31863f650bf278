/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcctl: asks a running program that is profiled.  Only this file of the tool prints and exits.
 * Exit status: 0 done, 1 the program could not be asked or a file not written, 2 wrong usage.
 */
#include "control/control.h"
#include "profile/difference.h"
#include "profile/fc-profile-file.h"
#include "profile/output.h"
#include "profile/plain.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
};

static void print_error(const char *text)
{
    g_autofree char *plain = fc_plain_text(text);
    fprintf(stderr, "fcctl: %s\n", plain);
}

/* Flushes the output and returns the exit status: `status`, or failure if the output could not
 * be written.  A reader that has closed the pipe is no failure. */
static int finish_output(int status)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return status;
    fprintf(stderr, "fcctl: standard output: %s\n", g_strerror(errno != 0 ? errno : EIO));
    return EXIT_FAILED;
}

/* ---- Commands ------------------------------------------------------------------------- */

/* FALSE: a file is there that is no profile.  An earlier snapshot may be replaced, a program that
 * was named by mistake may not. */
static gboolean may_write(const char *path, GError **error)
{
    char start[sizeof FC_PROFILE_MAGIC] = "";
    FILE *file;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !(file = fopen(path, "rbe")))
        return TRUE;
    start[fread(start, 1, sizeof start - 1, file)] = '\0';
    fclose(file);
    if (start[0] == '\0' || strcmp(start, FC_PROFILE_MAGIC) == 0)
        return TRUE;
    g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "is no profile; not overwritten");
    return FALSE;
}

static gboolean write_file(const char *path, const GString *text, GError **error)
{
    FcOutput *output = may_write(path, error) ? fc_output_begin(path, error) : NULL;
    const gboolean is_written =
        output && fwrite(text->str, 1, text->len, fc_output_stream(output)) == text->len;
    if (output && fc_output_end(output, is_written, error))
        return TRUE;
    g_prefix_error(error, "%s: ", path);
    return FALSE;
}

/* Returns functioncheck.PID-1.fc, or the name with the first number that no file has. */
static char *free_name(gint pid)
{
    for (guint number = 1;; number++)
    {
        char *name = g_strdup_printf("functioncheck.%d-%u.fc", pid, number);
        if (access(name, F_OK) < 0)
            return name;
        g_free(name);
    }
}

/* Writes the profile to `path`.  "-" is the standard output.  `path` NULL: chooses a free name
 * and prints it. */
static gboolean write_profile(gint pid, const char *path, const GString *text, GError **error)
{
    if (g_strcmp0(path, "-") == 0)
    {
        fwrite(text->str, 1, text->len, stdout);
        return TRUE;
    }
    g_autofree char *name = path ? g_strdup(path) : free_name(pid);
    if (!write_file(name, text, error))
        return FALSE;
    if (!path)
        puts(name);
    return TRUE;
}

static gboolean take_snapshot(gint pid, char **arguments, GError **error)
{
    g_autoptr(GString) text = fc_control_ask(pid, FC_CONTROL_SNAPSHOT, error);
    return text && write_profile(pid, arguments[0], text, error);
}

static FcProfile *ask_profile(gint pid, GError **error)
{
    g_autoptr(GString) text = fc_control_ask(pid, FC_CONTROL_SNAPSHOT, error);
    FcProfile *profile = text ? fc_profile_parse(text->str, text->len, error) : NULL;
    if (text && !profile)
        g_prefix_error(error, "%d: the snapshot: ", pid);
    return profile;
}

static gboolean take_delta(gint pid, char **arguments, GError **error)
{
    const double seconds = g_ascii_strtod(arguments[0], NULL);
    g_autoptr(FcProfile) earlier = ask_profile(pid, error);
    if (!earlier)
        return FALSE;
    g_usleep((gulong)(seconds * G_USEC_PER_SEC));
    g_autoptr(FcProfile) later = ask_profile(pid, error);
    if (!later)
        return FALSE;
    if (!fc_profile_subtract(later, earlier, error))
    {
        g_prefix_error(error, "%d: ", pid);
        return FALSE;
    }
    g_autoptr(GString) text = fc_profile_format(later);
    return write_profile(pid, arguments[1], text, error);
}

static gboolean tell(gint pid, enum FcControlWhat what, GError **error)
{
    g_autoptr(GString) nothing = fc_control_ask(pid, what, error);
    return nothing != NULL;
}

static gboolean pause_profile(gint pid, char **unused, GError **error)
{
    return tell(pid, FC_CONTROL_PAUSE, error);
}

static gboolean resume_profile(gint pid, char **unused, GError **error)
{
    return tell(pid, FC_CONTROL_RESUME, error);
}

static gboolean print_status(gint pid, char **unused, GError **error)
{
    g_autoptr(GString) text = fc_control_ask(pid, FC_CONTROL_STATUS, error);
    if (!text)
        return FALSE;
    g_autofree char *plain = fc_plain_lines(text->str);
    fputs(plain, stdout);
    return TRUE;
}

static const struct
{
    const char *name;
    gint least; /* arguments, */
    gint most;
    gboolean (*run)(gint pid, char **arguments, GError **error); /* `arguments` end with NULL */
} commands[] = {
    {"snapshot", 0, 1, take_snapshot}, {"delta", 1, 2, take_delta},
    {"pause", 0, 0, pause_profile},    {"resume", 0, 0, resume_profile},
    {"status", 0, 0, print_status},
};

/* Returns why the arguments are wrong for the command; NULL: they are right.  The caller frees
 * it. */
static char *find_fault(guint command, gint count, char **arguments)
{
    const char *name = commands[command].name;
    if (count > commands[command].most)
        return g_strdup_printf("%s: unexpected argument '%s'", name, arguments[count - 1]);
    if (count < commands[command].least)
        return g_strdup_printf("%s: for how many seconds?", name);
    if (commands[command].run != take_delta)
        return NULL;
    char *end;
    const double seconds = g_ascii_strtod(arguments[0], &end);
    if (*end == '\0' && end != arguments[0] && seconds > 0 && seconds <= 86400)
        return NULL;
    return g_strdup_printf("%s: '%s' is not a number of seconds up to 86400", name, arguments[0]);
}

/* ---- The command line ------------------------------------------------------------------- */

static const char summary[] =
    "Asks a profiled program that is running, which goes on.\n"
    "\n"
    "Commands:\n"
    "  snapshot [FILE]  write its profile as of now to FILE, - for standard output,\n"
    "                   or to functioncheck.PID-N.fc, whose name is printed\n"
    "  delta SECONDS [FILE]\n"
    "                   likewise, of the time that it waits for\n"
    "  pause            add nothing to its profile from now on\n"
    "  resume           until this\n"
    "  status           tell what is recorded";

static int fail_usage(const char *text)
{
    print_error(text);
    fputs("Try 'fcctl --help'.\n", stderr);
    return EXIT_USAGE;
}

static int run(int count, char **words)
{
    g_autoptr(GError) error = NULL;
    if (count < 2)
        return fail_usage(count == 0 ? "no process is named" : "no command is given");
    const gint pid = fc_control_pid(words[0]);
    if (pid == 0)
    {
        g_autofree char *text = g_strdup_printf("%s: not the number of a process", words[0]);
        return fail_usage(text);
    }
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
    {
        if (strcmp(words[1], commands[i].name) != 0)
            continue;
        g_autofree char *fault = find_fault(i, count - 2, words + 2);
        if (fault)
            return fail_usage(fault);
        if (commands[i].run(pid, words + 2, &error))
            return finish_output(EXIT_DONE);
        print_error(error->message);
        return EXIT_FAILED;
    }
    g_autofree char *text = g_strdup_printf("%s: no such command", words[1]);
    return fail_usage(text);
}

int main(int argc, char **argv)
{
    gboolean version = FALSE;
    gboolean help = FALSE;
    const GOptionEntry entries[] = {
        {"version", 0, 0, G_OPTION_ARG_NONE, &version, "print the version", NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "print this text", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autoptr(GError) error = NULL;
    setlocale(LC_CTYPE, "");
    g_autoptr(GOptionContext) context = g_option_context_new("PID COMMAND [ARGUMENT]");
    g_option_context_set_summary(context, summary);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_help_enabled(context, FALSE); /* GLib's --help ignores failed writes */
    if (!g_option_context_parse(context, &argc, &argv, &error))
        return fail_usage(error->message);
    if (help)
    {
        g_autofree char *text = g_option_context_get_help(context, TRUE, NULL);
        fputs(text, stdout);
        return finish_output(EXIT_DONE);
    }
    if (version)
    {
        puts("fcctl (FunctionCheck) " FC_VERSION);
        return finish_output(EXIT_DONE);
    }
    return run(argc - 1, argv + 1);
}
