/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * fcgprof: the reports of GNU gprof, from gmon.out files.  The only file that exits.
 * Besides it, missing sources (-A) and libbfd are reported where they are met.
 */
#include "fcgprof/gmon-files.h"
#include "fcgprof/graph.h"
#include "fcgprof/model.h"
#include "fcgprof/object.h"
#include "fcgprof/profile.h"
#include "fcgprof/reports.h"
#include "fcgprof/static-calls.h"
#include "fcgprof/symspec.h"
#include "profile/plain.h"

#include <errno.h>
#include <libiberty/libiberty.h>
#include <locale.h>
#include <string.h>

enum
{
    EXIT_OK = 0,
    EXIT_FAILED = 1 /* usage errors too: gprof's scripts expect it */
};

static const char DEFAULT_IMAGE[] = "a.out";
static const char DEFAULT_PROFILE[] = "gmon.out";
static const char SUM_FILE[] = "gmon.sum";

static gboolean fail(GError **error, const char *message)
{
    g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, message);
    return FALSE;
}

static gboolean read_gmon_files(FcGModel *model, const FcGmonLayout *layout, GError **error)
{
    const GPtrArray *profiles = model->options->profiles;

    for (guint i = 0; i < MAX(profiles->len, 1); i++)
    {
        const char *path = profiles->len ? g_ptr_array_index(profiles, i) : DEFAULT_PROFILE;

        if (!fc_gmodel_read_gmon(model, path, layout, error))
        {
            g_prefix_error(error, "%s: ", path);
            return FALSE;
        }
    }
    if (model->has_warned_blocks)
        fprintf(stderr, "fcgprof: counts of basic blocks are left out without -l\n");
    return TRUE;
}

/* FALSE where a file of them was not written, which was said. */
static gboolean print_reports(FcGModel *model, unsigned styles)
{
    gboolean good = TRUE;
    gboolean has_graph = (styles & FC_GSTYLE_GRAPH) != 0;
    gboolean graph_first = has_graph && model->options->traditional;

    if (graph_first)
        fc_greport_graph(model);
    if (styles & FC_GSTYLE_FLAT)
        fc_greport_flat(model);
    if (has_graph && !graph_first)
        fc_greport_graph(model);
    if (has_graph)
        fc_greport_index(model);
    if (styles & FC_GSTYLE_EXEC)
        fc_greport_exec(model);
    if (styles & FC_GSTYLE_ANNOTATE)
        good = fc_greport_annotate(model);
    if (styles & FC_GSTYLE_FUNCTION_ORDER)
        fc_greport_function_order(model);
    if (styles & FC_GSTYLE_FILE_ORDER)
        fc_greport_file_order(model);
    return good;
}

static void print_error(const char *message)
{
    g_autofree char *plain = fc_plain_text(message);
    fprintf(stderr, "fcgprof: %s\n", plain);
}

/* What went wrong in part, or is worth saying; the number of it. */
static guint print_messages(const GPtrArray *messages)
{
    for (guint i = 0; i < messages->len; i++)
        print_error(g_ptr_array_index(messages, i));
    return messages->len;
}

/* The reports of profiles of FunctionCheck. */
static gboolean run_profiles(FcGModel *model, GError **error)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(FcGProfile) profile = fc_gprofile_load(model, problems, notes, error);
    guint n_problems = print_messages(problems);

    print_messages(notes);
    if (!profile)
        return FALSE;
    fc_gprofile_measure(profile);
    n_problems += print_messages(fc_gprofile_warnings(profile));
    if (!print_reports(model, fc_goptions_styles(model->options, model->inputs)))
        n_problems++;
    return n_problems == 0 || fail(error, "");
}

/* Those of gmon.out files and the image that wrote them. */
static gboolean run_gmon(FcGModel *model, FcGObject *object, GError **error)
{
    const FcGOptions *options = model->options;
    const FcGmonLayout *layout = &fc_gobject_image(object)->layout;
    g_autoptr(FcGSpecs) specs = NULL;

    if (options->elapsed)
        return fail(error, "--elapsed: gmon.out files have samples, no times that passed");
    model->object = object;
    if (!fc_gmodel_load_symbols(model, object, options->symbol_file, error))
        return FALSE;
    model->specs = specs = fc_gspecs_new(model);
    if (options->format == FC_GMON_FORMAT_PROF)
        return fail(error, "the format of prof cannot be read");
    if (!read_gmon_files(model, layout, error))
        return FALSE;
    unsigned styles = fc_goptions_styles(options, model->inputs);
    if ((styles & FC_GSTYLE_SUM) && !fc_gmodel_write_gmon(model, SUM_FILE, layout, error))
        return FALSE;
    if (model->inputs & FC_GINPUT_HIST)
        fc_ghist_assign(model);
    if (model->inputs & FC_GINPUT_ARCS)
    {
        if (options->static_calls && !fc_gcode_is_known(fc_gobject_machine(object)))
            fprintf(stderr, "fcgprof: -c finds no calls in the code of this machine\n");
        if (options->static_calls)
            fc_gstatic_calls_add(model, object);
        fc_ggraph_assemble(model);
    }
    if ((styles & FC_GSTYLE_FLAT) && !(model->inputs & FC_GINPUT_HIST))
        return fail(error, "the profile has no histogram");
    if ((styles & FC_GSTYLE_GRAPH) && !(model->inputs & FC_GINPUT_ARCS))
        return fail(error, "the profile has no call graph");
    return print_reports(model, styles) || fail(error, "");
}

static gboolean run(const FcGOptions *options, GError **error)
{
    gboolean is_ours = fc_gprofile_is_meant(options);
    const char *image = options->image ? options->image : DEFAULT_IMAGE;
    g_autoptr(FcGObject) object = is_ours ? NULL : fc_gobject_open(image, error);
    g_autoptr(GArray) map = NULL;
    g_autoptr(FcGModel) model = fc_gmodel_new(options, stdout);

    if (!is_ours && !object)
        return FALSE;
    if (options->map_file)
        model->order_map = map = fc_gorder_map_read(options->map_file, error);
    if (options->map_file && !map)
        return FALSE;
    return is_ours ? run_profiles(model, error) : run_gmon(model, object, error);
}

/* `status`, unless the output could not be written.  A reader that left has what it wanted. */
static int finish_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE)
    {
        fprintf(stderr, "fcgprof: standard output: %s\n", g_strerror(errno != 0 ? errno : EIO));
        status = EXIT_FAILED;
    }
    return status;
}

int main(int argc, char **argv)
{
    g_autoptr(FcGOptions) options = NULL;
    g_autoptr(GError) error = NULL;

    setlocale(LC_CTYPE, "");
    expandargv(&argc, &argv);
    fc_gdemangle_set_style("auto");
    options = fc_goptions_parse(argc, argv, &error);
    if (!options)
    {
        if (*error->message)
            print_error(error->message);
        if (error->code == FC_GPROF_ERROR_USAGE)
        {
            g_autofree char *usage = fc_goptions_usage();
            fputs(usage, stderr);
        }
        return EXIT_FAILED;
    }
    if (options->show_help)
    {
        static char buffer[1 << 16]; /* the whole text: the flush meets the error */
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
        g_autofree char *usage = fc_goptions_usage();
        fputs(usage, stdout);
        return finish_output(EXIT_OK);
    }
    if (options->show_version)
    {
        puts("fcgprof (FunctionCheck) " FC_VERSION);
        return finish_output(EXIT_OK);
    }
    if (run(options, &error))
        return finish_output(EXIT_OK);
    finish_output(EXIT_FAILED);
    if (*error->message)
        print_error(error->message);
    return EXIT_FAILED;
}
