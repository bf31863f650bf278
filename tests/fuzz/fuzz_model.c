/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of all that fcdump does with a profile or a descriptor: load, select, and each
 * report and export; run by libFuzzer, or by replay.c over the corpus of the readers.  Whatever the
 * input, nothing may crash, and little time and memory be taken.
 */
#include "fcdump/report-table.h"
#include "fcdump/report.h"
#include "model/load.h"
#include "model/select.h"
#include "tests/fuzz/input-file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum
{
    SHARE = 9,     /* an input meets one report of so many, by its size, which changes less often */
    SUMMED = 0x100 /* a bit of the choice, above those of the options */
};

/* A choice that changes with the input, so that each profile of the corpus meets many. */
static FcOptions *make_options(unsigned choice)
{
    static const char *const bits[8] = {"--details", "--only=main,*a*", "--rgraph",  "--depth=0",
                                        "--cumul",   "--propagate",     "--min=0.5", "--no-names"};
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, (gpointer) "fcdump");
    for (guint i = 0; i < G_N_ELEMENTS(bits); i++)
        if ((choice >> i & 1) != 0)
            g_ptr_array_add(words, (gpointer)bits[i]);
    FcOptions *options =
        fc_options_parse(fc_report_table, (int)words->len, (char **)words->pdata, NULL);
    if (!options)
        g_error("the options are refused");
    return options;
}

static void report(FcModel *model, const FcOptions *options, unsigned choice)
{
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(FcSuppressions) suppressions = fc_suppressions_new(TRUE);
    const FcSelection selection = {.only = options->only,
                                   .except = options->except,
                                   .callees = options->propagate,
                                   .callers = options->rpropagate};
    fc_select_apply(model, &selection, warnings, warnings);
    g_autoptr(FcMemory) memory = fc_memory_new(model, suppressions, options->only->len > 0);
    if (options->addresses)
        fc_model_use_addresses(model);
    g_autoptr(FcRender) render = fc_render_new(fuzz_nowhere(), TRUE, 80, TRUE);
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    const FcReportContext context = {.model = model,
                                     .memory = memory,
                                     .suppressions = suppressions,
                                     .options = options,
                                     .render = render,
                                     .notes = notes};
    for (guint i = 0; fc_report_table[i]; i++)
        /* that one needs each run by itself */
        if (i % SHARE == choice % SHARE && !g_str_equal(fc_report_table[i]->name, "runs"))
            fc_report_table[i]->render(&context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *path = fuzz_file(data, bytes);
    const unsigned choice = fuzz_choice(data, bytes);
    /* Half of them twice: what it is summed with is then as strange as it is. */
    const char *second = choice & SUMMED ? fuzz_second_file(data, bytes) : NULL;
    const char *const operands[] = {path, second, NULL};
    g_autoptr(FcOptions) options = make_options(choice);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    const FcLoad load = {.operands = operands, .demangle = options->demangle, .raw = options->raw};
    g_autoptr(FcModel) model = fc_model_load(&load, problems);
    if (!model && problems->len == 0)
        g_error("neither a model nor a problem");
    if (model)
        report(model, options, (unsigned)bytes);
    return 0;
}
