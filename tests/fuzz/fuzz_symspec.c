/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of fcgprof's symbol specifications; run by libFuzzer, or by replay.c over
 * the corpus.  Each line of the input is one: its first letter names the option that it
 * is the value of, as on the command line.
 */
#include "fcgprof/graph.h"
#include "fcgprof/reports.h"
#include "fcgprof/symspec.h"
#include "tests/fuzz/input-file.h"

#include <getopt.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum
{
    N_FUNCTIONS = 9,
    FIRST_ADDR = 0x400,
    FUNCTION_BYTES = 0x10,
    WORDS_MAX = 64
};

static const char *const names[N_FUNCTIONS] = {
    "main", "f", "f", "_start", "_ZN1a1bEv", "f.constprop.0", "g", "f", "mcount",
};

static void require(gboolean condition, const char *what)
{
    if (!condition)
        g_error("%s", what);
}

/* A pattern that is parsed must hold what the text says, and nothing that it does not. */
static void try_pattern(const char *text)
{
    FcGPattern left = {0}, right = {0};
    gboolean has_right = fc_gspec_parse(text, &left, &right);

    require(has_right == (strchr(text, '/') != NULL), "a slash makes an arc");
    require(!left.name || strstr(text, left.name), "a name that was not given");
    require(!left.file || strstr(text, left.file), "a file that was not given");
    require(!left.name || !left.line, "both a name and a line");
    fc_gpattern_clear(&left);
    if (has_right)
        fc_gpattern_clear(&right);
}

static void add_functions(FcGModel *model)
{
    FcGSym syms[N_FUNCTIONS];

    for (guint i = 0; i < N_FUNCTIONS; i++)
    {
        fc_gsym_init(&syms[i]);
        syms[i].addr = FIRST_ADDR + (guint64)i * FUNCTION_BYTES;
        syms[i].name = names[i];
        syms[i].is_func = TRUE;
        syms[i].file = fc_gmodel_file(model, i % 2 ? "dir/x.c" : "y.c");
        syms[i].line = (int)i + 1;
    }
    fc_gsymtab_build(model, syms, N_FUNCTIONS,
                     FIRST_ADDR + (guint64)N_FUNCTIONS * FUNCTION_BYTES - 1);
}

/* With one report of three: formatting them is most of the time. */
static void try_options(const FcGOptions *options, unsigned choice)
{
    g_autoptr(FcGSpecs) specs = NULL;
    FcGModel *model;

    model = fc_gmodel_new(options, fuzz_nowhere());
    add_functions(model);
    model->specs = specs = fc_gspecs_new(model);
    for (guint i = 0; i < FC_GTABLE_LAST; i++)
        fc_gspecs_has(model->specs, (FcGTable)i, FIRST_ADDR + i);
    for (guint i = 0; i < N_FUNCTIONS; i++)
        fc_ggraph_record(model, FIRST_ADDR + i * FUNCTION_BYTES,
                         FIRST_ADDR + (i * 5 % N_FUNCTIONS) * FUNCTION_BYTES, i);
    fc_ggraph_assemble(model);
    if (choice % 3 == 0)
        fc_greport_graph(model);
    else if (choice % 3 == 1)
        fc_greport_exec(model);
    else
        fc_greport_function_order(model);
    fc_gmodel_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    g_autofree char *text = g_strndup(bytes ? (const char *)data : "", bytes);
    g_auto(GStrv) lines = g_strsplit(text, "\n", WORDS_MAX);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(FcGOptions) options = NULL;

    g_ptr_array_add(words, g_strdup("fcgprof"));
    for (guint i = 0; lines[i]; i++)
    {
        if (!lines[i][0] || !strchr("pPqQAJCZeEfFkNn", lines[i][0]) || !lines[i][1])
            continue;
        try_pattern(lines[i] + 1);
        g_ptr_array_add(words, g_strdup_printf("-%s", lines[i]));
    }
    g_ptr_array_add(words, NULL);
    optind = 0;
    options = fc_goptions_parse((int)words->len - 1, (char **)words->pdata, NULL);
    require(options != NULL, "values of known options are refused");
    try_options(options, fuzz_choice(data, bytes));
    return 0;
}
