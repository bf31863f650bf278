/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks symbols/symbols.h about places given on standard input and prints the answers, for
 * the scripts of this folder.  It knows no symbols of its own.
 *
 *   probe [--demangle=none|plain|params] [--image=IMAGE]... [--debug-folders=LIST]
 *         [--directory=PATH] [--also=PATH] [--ended=NANOSECONDS]
 *
 * --also is a second module of the profile; --directory is where the program started;
 * --ended when it ended, since 1970.
 *
 * A line of input: PATH BUILD-ID OFFSET [entry|return|name], separated by tabs; BUILD-ID
 * may be -.  A line of output: name, linkage name, start, static or global, file, line,
 * separated by tabs, - where not known.  Warnings go to standard error.
 */
#include "symbols/symbols.h"

#include <stdio.h>
#include <string.h>

static gchar *demangle = NULL, *debug_folders = NULL, *directory = NULL, *also = NULL;
static gint64 ended = 0;
static gchar **images = NULL;
static const GOptionEntry options[] = {
    {"demangle", 0, 0, G_OPTION_ARG_STRING, &demangle, NULL, NULL},
    {"debug-folders", 0, 0, G_OPTION_ARG_STRING, &debug_folders, NULL, NULL},
    {"directory", 0, 0, G_OPTION_ARG_STRING, &directory, NULL, NULL},
    {"also", 0, 0, G_OPTION_ARG_STRING, &also, NULL, NULL},
    {"ended", 0, 0, G_OPTION_ARG_INT64, &ended, NULL, NULL},
    {"image", 0, 0, G_OPTION_ARG_STRING_ARRAY, &images, NULL, NULL},
    {NULL},
};

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void answer(FcSymbols *symbols, const char *path, const char *build_id, guint64 offset,
                   const char *kind)
{
    FcProfileModule module = {.path = (char *)path,
                              .build_id = strcmp(build_id, "-") != 0 ? (char *)build_id : NULL,
                              .base = 0x7f0000000000,
                              .end = G_MAXUINT64};
    FcProfileLocation place = {.address = offset + module.base, .offset = offset, .module = 0};
    FcProfile profile = {.directory = directory, .end_realtime_ns = ended};
    gboolean is_return = strcmp(kind, "return") == 0;
    FcSymbol symbol;

    profile.modules = g_array_new(FALSE, FALSE, sizeof module);
    g_array_append_val(profile.modules, module);
    if (also)
    {
        module.path = also;
        module.build_id = NULL;
        g_array_append_val(profile.modules, module);
    }
    if (strcmp(kind, "name") == 0)
        fc_symbols_find_name(symbols, &profile, &place, FALSE, &symbol);
    else
        fc_symbols_find(symbols, &profile, &place, is_return, &symbol);
    printf("%s\t%s\t%" G_GINT64_MODIFIER "x\t%s\t%s\t%u\n", symbol.name, or_dash(symbol.raw_name),
           symbol.start, symbol.is_static ? "static" : "global", or_dash(symbol.file), symbol.line);
    if (images)
        fc_symbols_check_images(symbols, &profile);
    g_array_unref(profile.modules);
}

int main(int argc, char **argv)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(FcSymbols) symbols = NULL;
    FcDemangle style = FC_DEMANGLE_PLAIN;
    char line[8192];

    g_option_context_add_main_entries(context, options, NULL);
    if (!g_option_context_parse(context, &argc, &argv, NULL) || argc != 1)
        return 2;
    if (g_strcmp0(demangle, "none") == 0)
        style = FC_DEMANGLE_NONE;
    else if (g_strcmp0(demangle, "params") == 0)
        style = FC_DEMANGLE_PARAMS;
    symbols = fc_symbols_new(style, (const char *const *)images);
    if (debug_folders)
        fc_symbols_set_debug_folders(symbols, debug_folders);
    while (fgets(line, sizeof line, stdin))
    {
        g_auto(GStrv) words = g_strsplit(g_strchomp(line), "\t", -1);
        guint count = g_strv_length(words);

        if (count < 3)
            return 2;
        answer(symbols, words[0], words[1], g_ascii_strtoull(words[2], NULL, 16),
               count > 3 ? words[3] : "entry");
    }
    for (guint i = 0; i < fc_symbols_warnings(symbols)->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(fc_symbols_warnings(symbols), i));
    g_strfreev(images);
    g_free(demangle);
    g_free(debug_folders);
    g_free(directory);
    g_free(also);
    return 0;
}
