/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tells FunctionCheck's profiles from gmon.out files, and reads them.  See profile.h.
 */
#include "fcgprof/profile.h"

#include "fcgprof/object.h"
#include "fcgprof/symspec.h"
#include "model/load.h"
#include "model/v3.h"
#include "profile/descriptor.h"
#include "profile/fc-profile-file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum
{
    KIND_OTHER,
    KIND_PROFILE,
    KIND_GMON
} Kind;

static const char STANDARD_INPUT[] = "/dev/stdin";

static const char *const default_profiles[] = {"gmon.out", "functioncheck.fc", "functioncheck.fcd"};

/* What is called "-" on the command line. */
static const char *real_path(const char *operand)
{
    return strcmp(operand, "-") == 0 ? STANDARD_INPUT : operand;
}

/* What the first bytes say, which are a string. */
static Kind kind_of_start(const char *start)
{
    if (g_str_has_prefix(start, FC_PROFILE_MAGIC) || g_str_has_prefix(start, FC_DESCRIPTOR_MAGIC))
        return KIND_PROFILE;
    return g_str_has_prefix(start, FC_GMON_MAGIC) ? KIND_GMON : KIND_OTHER;
}

/* Files that can't be read twice are not looked at. */
static Kind kind_of(const char *operand)
{
    const char *path = real_path(operand);
    char start[sizeof FC_DESCRIPTOR_MAGIC] = "";
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return KIND_OTHER;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return KIND_OTHER;
    if (pread(fd, start, sizeof start - 1, 0) < 0)
        start[0] = '\0';
    close(fd);
    return kind_of_start(start);
}

enum
{
    KEPT_BYTES_MAX = FC_GMON_STREAM_BYTES_MAX + 1 /* of what is no profile of FunctionCheck */
};

/* Puts a file in the place of a pipe, so that it can be looked at and then read. */
static void keep_standard_input(void)
{
    char buffer[16384];
    gsize kept = 0, most = KEPT_BYTES_MAX;
    ssize_t n;

    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return;
    int copy = memfd_create("standard input", MFD_CLOEXEC);
    if (copy < 0)
        return;
    while (kept < most && (n = read(STDIN_FILENO, buffer, sizeof buffer - 1)) > 0)
    {
        buffer[n] = '\0';
        if (kept == 0 && kind_of_start(buffer) == KIND_PROFILE)
            most = G_MAXSIZE;
        if (write(copy, buffer, (size_t)n) != n)
            break;
        kept += (gsize)n;
    }
    if (lseek(copy, 0, SEEK_SET) == 0)
        dup2(copy, STDIN_FILENO);
    close(copy);
}

/* Where no profile is named, the first one that exists; a gmon.out is what GNU gprof would
 * read, and mostly not for us. */
static const char *find_default(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(default_profiles); i++)
    {
        const char *path = default_profiles[i];

        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return kind_of(path) == KIND_PROFILE ? path : NULL;
    }
    return NULL;
}

gboolean fc_gprofile_is_meant(const FcGOptions *options)
{
    if (options->format != FC_GMON_FORMAT_AUTO)
        return FALSE;
    if (g_strcmp0(options->image, "-") == 0)
        keep_standard_input();
    if (options->image && kind_of(options->image) == KIND_PROFILE)
        return TRUE;
    for (guint i = 0; i < options->profiles->len; i++)
    {
        const char *operand = g_ptr_array_index(options->profiles, i);

        if (strcmp(operand, "-") == 0)
            keep_standard_input();
        if (kind_of(operand) == KIND_PROFILE)
            return TRUE;
    }
    /* What is no image is a profile that can't be read, and not for another one to stand in. */
    return options->profiles->len == 0 && find_default() != NULL &&
           (!options->image || fc_v3_is_elf(options->image));
}

/* ---- -i ---------------------------------------------------------------------------- */

static void print_count(FILE *out, guint64 count, const char *what)
{
    fprintf(out, "\t%lu %s%s\n", (gulong)count, what, count == 1 ? "" : "s");
}

static void print_info(FcGProfile *profile)
{
    FcGModel *model = profile->model;
    const FcModel *loaded = profile->loaded;
    guint n_threads = 0;

    for (guint i = 0; i < loaded->inputs->len; i++)
    {
        const FcInput *input = g_ptr_array_index(loaded->inputs, i);

        fprintf(model->out, "File `%s' (profile of process %ld%s) contains:\n", input->path,
                (long)input->header->pid, input->header->extended ? "" : ", plain version 3.0");
        print_count(model->out, input->threads, "thread");
        n_threads += input->threads;
    }
    fputs("All together:\n", model->out);
    print_count(model->out, n_threads, "thread");
    print_count(model->out, loaded->functions->len, "function");
    print_count(model->out, loaded->profile->arcs->len, "call site");
    print_count(model->out, loaded->profile->contexts->len, "calling context");
    model->has_output = TRUE;
}

/* ---- Reading ------------------------------------------------------------------------ */

static gboolean check_options(const FcGOptions *options, GError **error)
{
    if (options->styles & FC_GSTYLE_SUM)
    {
        g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_OUTPUT,
                            "gmon.sum is made of gmon.out files only; profiles are summed without "
                            "--sum, and 'fcdump --gmon' makes gmon.out files of them");
        return FALSE;
    }
    for (guint i = 0; i < options->profiles->len; i++)
    {
        const char *path = g_ptr_array_index(options->profiles, i);

        if (kind_of(path) != KIND_GMON)
            continue;
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT,
                    "%s: samples and measured times can't be summed", path);
        return FALSE;
    }
    return TRUE;
}

FcGProfile *fc_gprofile_load(FcGModel *model, GPtrArray *problems, GPtrArray *notes, GError **error)
{
    const FcGOptions *options = model->options;
    g_autoptr(FcGProfile) profile = g_new0(FcGProfile, 1);
    g_autoptr(GPtrArray) inputs = g_ptr_array_new();

    profile->model = model;
    if (!check_options(options, error))
        return NULL;
    if (options->image)
        g_ptr_array_add(inputs, (gpointer)real_path(options->image));
    for (guint i = 0; i < options->profiles->len; i++)
        g_ptr_array_add(inputs, (gpointer)real_path(g_ptr_array_index(options->profiles, i)));
    if (options->profiles->len == 0 && (!options->image || kind_of(options->image) != KIND_PROFILE))
        g_ptr_array_add(inputs, (gpointer)find_default());
    g_ptr_array_add(inputs, NULL);
    const FcLoad load = {.operands = (const char *const *)inputs->pdata,
                         .demangle = FC_DEMANGLE_NONE,
                         .split = TRUE,
                         .time = options->elapsed ? FC_TIME_PART_WALL : FC_TIME_PART_CPU,
                         .notes = notes};
    profile->loaded = fc_model_load(&load, problems);
    if (!profile->loaded)
    {
        g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "");
        return NULL;
    }
    model->measured = &profile->measured;
    model->addr_mask = FC_GMODULE_MASK;
    model->inputs = FC_GINPUT_HIST | FC_GINPUT_ARCS;
    if (options->styles & FC_GSTYLE_INFO)
        print_info(profile);
    if (!fc_gprofile_load_symbols(profile, error))
        return NULL;
    profile->specs = fc_gspecs_new(model);
    model->specs = profile->specs;
    return g_steal_pointer(&profile);
}

void fc_gprofile_free(FcGProfile *profile)
{
    if (!profile)
        return;
    if (profile->modules)
    {
        for (guint i = 0; i < profile->modules->len; i++)
            fc_gobject_free(fc_gprofile_module(profile, i)->object);
        g_array_unref(profile->modules);
    }
    fc_model_free(profile->loaded);
    fc_gspecs_free(profile->specs);
    g_clear_pointer(&profile->calls, g_ptr_array_unref);
    g_clear_pointer(&profile->call_table, g_hash_table_unref);
    g_clear_pointer(&profile->lines, g_ptr_array_unref);
    g_clear_pointer(&profile->line_arcs, g_hash_table_unref);
    g_free(profile->numbers);
    g_free(profile->syms);
    g_free(profile);
}

const GPtrArray *fc_gprofile_warnings(const FcGProfile *profile)
{
    return fc_symbols_warnings(profile->loaded->symbols);
}
