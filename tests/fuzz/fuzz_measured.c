/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of what fcgprof does with a profile or a descriptor of FunctionCheck: load, measure,
 * and its reports, to /dev/null; run by libFuzzer, or by replay.c over the corpus of the
 * readers.  Whatever the input, nothing may crash, and little time and memory be taken.
 */
#include "fcgprof/profile.h"
#include "fcgprof/reports.h"
#include "tests/fuzz/input-file.h"

#include <getopt.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum
{
    SUMMED = 0x100, /* a bit of the choice, above those of the options */
    BUILD_ID_DIGITS = 40,
    N_LINES = 9 /* so that some functions share one, and the one of number 0 has none */
};

/* A choice that changes with the input, so that each profile of the corpus meets many. */
/* `second` may be NULL. */
static FcGOptions *make_options(const char *path, const char *second, unsigned choice)
{
    static const char *const bits[8] = {"-l", "-c", "-z",       "-T",
                                        "-i", "-a", "-kmain/*", "--elapsed"};
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GError) error = NULL;

    g_ptr_array_add(words, (gpointer) "fcgprof");
    g_ptr_array_add(words, (gpointer) "-b");
    for (guint i = 0; i < G_N_ELEMENTS(bits); i++)
        if ((choice >> i & 1) != 0)
            g_ptr_array_add(words, (gpointer)bits[i]);
    g_ptr_array_add(words, (gpointer)path);
    if (second)
        g_ptr_array_add(words, (gpointer)second);
    const int count = (int)words->len;
    g_ptr_array_add(words, NULL);
    optind = 0;
    FcGOptions *options = fc_goptions_parse(count, (char **)words->pdata, &error);
    if (!options)
        g_error("the options are refused: %s", error->message);
    return options;
}

/* As there are no images: the functions are on lines of the input itself. */
static void report_lines(FcGModel *model, const char *source)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        model->symtab.syms[i].file = fc_gmodel_file(model, source);
        model->symtab.syms[i].line = (int)i % N_LINES;
    }
    fc_greport_annotate(model);
}

/* One report: formatting numbers is most of the time. */
static void report(FcGModel *model, unsigned choice, const char *source)
{
    switch (choice % 5)
    {
    case 0:
        fc_greport_flat(model);
        break;
    case 1:
        fc_greport_graph(model);
        break;
    case 2:
        fc_greport_index(model);
        fc_greport_function_order(model);
        break;
    case 3:
        fc_greport_exec(model);
        break;
    default:
        report_lines(model, source);
    }
}

/* The input, but for the names of folders in which this machine has libraries, and for
 * build-ids, by which it may have debug files: the profiles of the corpus have been made on one
 * like it, and with -l each byte of their code is asked for its line, which takes seconds.  Images
 * have a target of their own. */
static guint8 *without_images(const uint8_t *data, size_t bytes)
{
    guint8 *copy = g_malloc(bytes + 1);
    guint digits = 0;

    for (size_t i = 0; i < bytes; i++)
    {
        const gboolean is_folder = i > 0 && data[i - 1] == '/' && memchr("lub", data[i], 3);
        copy[i] = is_folder ? '_' : data[i];
        digits = g_ascii_isxdigit(data[i]) ? digits + 1 : 0;
        if (digits == BUILD_ID_DIGITS)
            memset(copy + i - 7, '0', 8);
    }
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const unsigned choice = fuzz_choice(data, bytes);
    g_autofree guint8 *copy = without_images(data, bytes);
    const char *path = fuzz_file(copy, bytes);
    /* Half of them twice: what it is summed with is then as strange as it is. */
    const char *second = choice & SUMMED ? fuzz_second_file(copy, bytes) : NULL;
    g_autoptr(FcGOptions) options = make_options(path, second, choice);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(FcGModel) model = NULL;
    g_autoptr(FcGProfile) profile = NULL;
    g_autoptr(GError) error = NULL;

    if (!fc_gprofile_is_meant(options))
        return 0;
    model = fc_gmodel_new(options, fuzz_nowhere());
    profile = fc_gprofile_load(model, problems, notes, &error);
    if (!profile != !!error)
        g_error("neither a profile nor an error");
    if (!profile)
        return 0;
    fc_gprofile_measure(profile);
    report(model, (unsigned)bytes, path);
    return 0;
}
