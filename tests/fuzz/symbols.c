/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Damaged ELF files for fcdump's symbols: a good one is cut off at many lengths and has
 * bytes overwritten, and whatever comes of it is asked for names and lines.  Nothing may
 * crash, hang or give an answer without a name.  Run under the sanitizers too.
 *
 *   fuzz-symbols FILE [ROUNDS [FIRST-ROUND]]
 *
 * Each round is a function of its number alone: the last one that is printed on a crash is
 * repeated by giving it as FIRST-ROUND.
 */
#include "symbols/symbols.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *original;
static gsize original_bytes;

/* Where damage does most: the headers of file, segments and sections. */
static gsize choose_offset(GRand *random, gsize bytes)
{
    guint64 sections;

    switch (g_rand_int_range(random, 0, 4))
    {
    case 0:
        return (gsize)g_rand_int_range(random, 4, 64 + 13 * 56);
    case 1:
        memcpy(&sections, original + 0x28, sizeof sections);
        return MIN(sections + (guint)g_rand_int_range(random, 0, 40 * 64), bytes - 1);
    default:
        return (gsize)g_rand_int_range(random, 4, (gint)bytes);
    }
}

static guchar choose_byte(GRand *random, guchar old)
{
    static const guchar odd[] = {0, 1, 0x7f, 0x80, 0xff};

    if (g_rand_boolean(random))
        return odd[g_rand_int_range(random, 0, G_N_ELEMENTS(odd))];
    return old ^ (guchar)(1 << g_rand_int_range(random, 0, 8));
}

static gsize damage(GRand *random, char *data, gsize bytes)
{
    gint changes = 1 << g_rand_int_range(random, 0, 6);

    if (g_rand_int_range(random, 0, 8) == 0)
        return (gsize)g_rand_int_range(random, 0, (gint)bytes);
    for (; changes > 0; changes--)
    {
        gsize offset = choose_offset(random, bytes);

        if (offset < bytes)
            data[offset] = (char)choose_byte(random, (guchar)data[offset]);
    }
    return bytes;
}

static void ask(const char *path)
{
    g_autoptr(FcSymbols) symbols = fc_symbols_new(FC_DEMANGLE_PARAMS, NULL);
    FcProfileModule module = {.path = (char *)path, .end = G_MAXUINT64};
    FcProfile profile = {.modules = g_array_new(FALSE, FALSE, sizeof module)};

    g_array_append_val(profile.modules, module);
    for (guint64 offset = 0; offset < 0x6000; offset += 23)
    {
        FcProfilePlace place = {offset, offset, 0};
        FcSymbol symbol;

        fc_symbols_find(symbols, &profile, &place, (offset & 1) != 0, &symbol);
        if (!symbol.name || strlen(symbol.name) == 0 || (symbol.file && !*symbol.file))
            g_error("offset %#" G_GINT64_MODIFIER "x has no name", offset);
    }
    g_array_unref(profile.modules);
}

int main(int argc, char **argv)
{
    g_autofree char *folder = g_dir_make_tmp("fc-fuzz-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "file", NULL);
    g_autofree char *data = NULL;
    long rounds = argc > 2 ? atol(argv[2]) : 2000, first = argc > 3 ? atol(argv[3]) : 0;

    if (argc < 2 || !g_file_get_contents(argv[1], &original, &original_bytes, NULL) ||
        original_bytes < 4096)
        return 2;
    data = g_malloc(original_bytes);
    for (long round = first; round < first + rounds; round++)
    {
        GRand *random = g_rand_new_with_seed((guint32)round);
        gsize bytes = original_bytes;

        memcpy(data, original, original_bytes);
        if (round > 0) /* round 0: the good file */
            bytes = damage(random, data, original_bytes);
        g_rand_free(random);
        printf("\rround %ld", round);
        fflush(stdout);
        if (!g_file_set_contents_full(path, data, (gssize)bytes, G_FILE_SET_CONTENTS_NONE, 0600,
                                      NULL))
            return 2;
        ask(path);
    }
    printf(": done\n");
    g_unlink(path);
    g_rmdir(folder);
    g_free(original);
    return 0;
}
