/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of fcgprof's reader of gmon.out files; run by libFuzzer, or by replay.c
 * over the corpus.  The first byte chooses the layout; the rest is the file.  What is
 * read is assigned, propagated and reported, to /dev/null; the input is the functions' source, too.
 */
#include "fcgprof/gmon-files.h"
#include "fcgprof/graph.h"
#include "fcgprof/reports.h"
#include "fcgprof/symspec.h"
#include "tests/fuzz/input-file.h"

#include <getopt.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum
{
    N_FUNCTIONS = 12,
    FIRST_ADDR = 0x1000,
    FUNCTION_BYTES = 0x40,
    ALL_LINES = 0x10000 /* a bit of the choice */
};

static const char *const names[N_FUNCTIONS] = {
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11",
};

static void add_functions(FcGModel *model, const char *source)
{
    FcGSym syms[N_FUNCTIONS];

    for (guint i = 0; i < N_FUNCTIONS; i++)
    {
        fc_gsym_init(&syms[i]);
        syms[i].addr = FIRST_ADDR + (guint64)i * FUNCTION_BYTES;
        syms[i].name = names[i];
        syms[i].is_func = i % 4 != 3;
        syms[i].file = fc_gmodel_file(model, source);
        syms[i].line = (int)i + 1;
    }
    fc_gsymtab_build(model, syms, N_FUNCTIONS,
                     FIRST_ADDR + (guint64)N_FUNCTIONS * FUNCTION_BYTES - 1);
}

/* One report of those that the input has data for: formatting numbers is most of the time. */
static void report(FcGModel *model, unsigned choice)
{
    choice %= 5;
    if (model->inputs & FC_GINPUT_HIST)
        fc_ghist_assign(model);
    if (model->inputs & FC_GINPUT_ARCS)
        fc_ggraph_assemble(model);
    if (model->inputs & FC_GINPUT_HIST && choice == 0)
        fc_greport_flat(model);
    if (model->inputs & FC_GINPUT_ARCS && choice == 1)
        fc_greport_graph(model);
    if (model->inputs & FC_GINPUT_ARCS && choice == 2)
    {
        fc_greport_index(model);
        fc_greport_function_order(model);
    }
    if (choice == 3)
        fc_greport_exec(model);
    if (choice == 4)
        fc_greport_annotate(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *argv[] = {"fcgprof", "-bz", "-l", "-x", NULL};
    const unsigned choice = fuzz_choice(data, bytes);
    g_autoptr(FcGOptions) options = NULL;
    g_autoptr(FcGModel) model = NULL;
    g_autoptr(FcGSpecs) specs = NULL;
    g_autoptr(GError) error = NULL;
    FcGmonLayout layout;
    FcGmonContents contents;

    if (bytes < 1)
        return 0;
    optind = 0;
    options = fc_goptions_parse(choice & ALL_LINES ? 4 : 3, argv, &error);
    if (!options)
        g_error("no options");
    options->format = (FcGmonFormat)((data[0] >> 2) % 4);
    layout.is_big_endian = data[0] & 1;
    layout.addr_bytes = data[0] & 2 ? 4 : 8;
    model = fc_gmodel_new(options, fuzz_nowhere());
    add_functions(model, fuzz_file(data, bytes));
    model->specs = specs = fc_gspecs_new(model);
    if (fc_gmodel_add_gmon(model, data + 1, bytes - 1, &layout, &contents, &error))
    {
        /* The same file once more is their sum. */
        if (data[0] & 0x20)
            fc_gmodel_add_gmon(model, data + 1, bytes - 1, &layout, &contents, NULL);
        report(model, choice);
    }
    return 0;
}
