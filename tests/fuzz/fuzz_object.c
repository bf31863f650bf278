/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of what fcgprof does with an image: the input is the file, whose symbols, lines, code
 * and links are read by way of the system's libbfd, and reported with a histogram of its code and
 * the calls that are found in it.
 */
#include "fcgprof/gmon-files.h"
#include "fcgprof/graph.h"
#include "fcgprof/model.h"
#include "fcgprof/object.h"
#include "fcgprof/reports.h"
#include "fcgprof/static-calls.h"
#include "fcgprof/symspec.h"
#include "tests/fuzz/input-file.h"

#include <getopt.h>
#include <string.h>

/* See fcgprof/object.c. */
#define PACKAGE "functioncheck"
#define PACKAGE_VERSION FC_VERSION
#include <bfd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum
{
    BINS = 16,
    CODE_BYTES = 0x400
};

/* What libbfd says on standard error of nearly every input. */
static void say_nothing(const char *format, va_list args)
{
}

static void see_links(GHashTable *links)
{
    GHashTableIter iter;
    gpointer name;

    g_hash_table_iter_init(&iter, links);
    while (g_hash_table_iter_next(&iter, NULL, &name))
        if (!*(const char *)name)
            g_error("a link without a name");
    g_hash_table_unref(links);
}

static void see_code(FcGObject *object)
{
    const FcGImage *image = fc_gobject_image(object);

    for (guint64 offset = 0; offset < CODE_BYTES; offset += CODE_BYTES / 4)
    {
        FcGCode code = {.machine = fc_gobject_machine(object), .addr = image->text_start + offset};
        FcGCall call;

        code.bytes = fc_gobject_code_at(object, code.addr, &code.n);
        code.n = code.bytes ? MIN(code.n, CODE_BYTES) : 0;
        while (fc_gcode_next_call(&code, &call))
            if (call.site - code.addr > code.n)
                g_error("a call beyond the code");
    }
}

static void report(FcGModel *model, FcGObject *object)
{
    const FcGImage *image = fc_gobject_image(object);
    const FcGmonHist header = {.low = image->text_start,
                               .high = image->text_end,
                               .n_bins = BINS,
                               .rate = 100,
                               .has_rate = TRUE,
                               .dimension = "seconds",
                               .abbreviation = 's'};
    g_autoptr(GError) error = NULL;
    FcGmonHist *hist = fc_ghist_declare(model, &header, FALSE, &error);

    if (!hist)
        return;
    for (guint i = 0; i < BINS; i++)
        hist->bins[i] = i;
    fc_ghist_assign(model);
    fc_gstatic_calls_add(model, object);
    fc_ggraph_assemble(model);
    fc_greport_flat(model);
    fc_greport_graph(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *argv[] = {"fcgprof", "-bzc", "-l", NULL};
    const unsigned choice = fuzz_choice(data, bytes);
    /* Each byte of the code is asked for its line then, which takes long. */
    const gboolean by_line = (choice & 7) == 0;
    g_autoptr(GError) error = NULL;
    bfd_set_error_handler(say_nothing);
    g_autoptr(FcGObject) object = fc_gobject_open(fuzz_file(data, bytes), &error);
    g_autoptr(FcGOptions) options = NULL;
    g_autoptr(FcGModel) model = NULL;
    g_autoptr(FcGSpecs) specs = NULL;

    if (!object == !error)
        g_error("neither an object nor an error");
    if (!object)
        return 0;
    optind = 0;
    options = fc_goptions_parse(by_line ? 3 : 2, argv, &error);
    if (!options)
        g_error("no options");
    model = fc_gmodel_new(options, fuzz_nowhere());
    model->object = object;
    if (fc_gmodel_load_symbols(model, object, NULL, &error))
    {
        model->specs = specs = fc_gspecs_new(model);
        report(model, object);
    }
    see_code(object);
    see_links(fc_gobject_stubs(object));
    see_links(fc_gobject_pointers(object));
    return 0;
}
