/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fuzz target of what fcdump does with an image, a program's or a library's: the input is the file,
 * which is asked for names, lines, imports and inlined copies, and for the
 * symbols that go into a gmon.out.  libelf and libdw are those of the system.
 */
#include "gmon/image.h"
#include "symbols/symbols.h"
#include "tests/fuzz/input-file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum
{
    PLACES = 12,
    FIRST_PLACE = 0x200, /* before the code of the images of the corpus */
    PLACE_BYTES = 19
};

static void require(gboolean condition, const char *what)
{
    if (!condition)
        g_error("%s", what);
}

static void ask(FcSymbols *symbols, const FcProfile *profile, const FcProfileLocation *place,
                gboolean is_return)
{
    FcSymbol symbol, name;
    FcProfileLocation moved = *place;

    fc_symbols_find(symbols, profile, place, is_return, &symbol);
    require(symbol.name && *symbol.name, "a place has no name");
    require(!symbol.file || *symbol.file, "a file has an empty name");
    fc_symbols_find_name(symbols, profile, place, is_return, &name);
    require(name.name == symbol.name, "the name depends on the line");
    if (fc_symbols_find_import(symbols, profile, &moved))
        require(moved.module < (gint)profile->modules->len, "an import of no module");
    const FcProfileLocation entry = {symbol.start, symbol.start, place->module};
    fc_symbols_is_inlined(symbols, profile, place, &entry);
}

static void ask_symbols(const char *path, unsigned choice)
{
    g_autoptr(FcSymbols) symbols =
        fc_symbols_new((FcDemangle)(choice % (FC_DEMANGLE_PARAMS + 1)), NULL);
    FcProfileModule modules[] = {{.path = (char *)path, .end = G_MAXUINT64},
                                 {.path = (char *)"/proc/self/none", .end = G_MAXUINT64}};
    FcProfile profile = {.modules = g_array_new(FALSE, FALSE, sizeof *modules)};

    g_array_append_vals(profile.modules, modules, G_N_ELEMENTS(modules));
    for (guint i = 0; i < PLACES; i++)
    {
        const guint64 offset = FIRST_PLACE + choice % PLACE_BYTES + i * PLACE_BYTES;
        const FcProfileLocation place = {offset, offset, 0};
        ask(symbols, &profile, &place, i & 1);
    }
    fc_symbols_image_path(symbols, &profile, 0);
    fc_symbols_debug_path(symbols, &profile, 0);
    fc_symbols_find_module(symbols, &profile, path);
    g_array_unref(profile.modules);
}

static void list_symbols(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(FcGImage) image = fc_gimage_read(path, &error);

    require(!image == (error != NULL), "neither an image nor an error");
    for (guint i = 0; image && i < image->syms->len; i++)
        require(strlen(g_array_index(image->syms, FcGRange, i).name) < G_MAXINT, "no name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *path = fuzz_file(data, bytes);

    list_symbols(path);
    ask_symbols(path, fuzz_choice(data, bytes));
    return 0;
}
