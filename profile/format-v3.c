/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first part of a .fc file: version 3.0 to the letter, for readers that know
 * no more.  Called by the formatter, and by the parser for its cross-check.
 *
 * Those readers use scanf with %d and %u, so a larger number is written as the
 * largest that they can take; the exact one stands in the second part.
 */
#include "profile/format.h"
#include "profile/text.h"

/* What %p reads as NULL. */
static const char null_pointer[] = "(nil)";

static void append_pointer(GString *out, guint64 address)
{
    if (address == 0)
        g_string_append(out, null_pointer);
    else
        fc_text_append_hex(out, address);
}

/* One number behind a blank. */
static void append_limited(GString *out, guint64 number, guint64 limit)
{
    g_string_append_c(out, ' ');
    fc_text_append_number(out, MIN(number, limit));
}

static guint64 to_us(guint64 time_ns)
{
    return time_ns / 1000 + (time_ns % 1000 >= 500);
}

static void append_head(const FcProfile *profile, gboolean announced, GString *out)
{
    g_string_append(out, FC_FORMAT_HEADER "\n");
    if (announced && profile->unique_id && *profile->unique_id != '\0')
    {
        g_autofree char *id = g_strconcat(profile->unique_id, FC_FORMAT_ANNOUNCEMENT, NULL);
        fc_text_append_word(out, id);
    }
    else
        fc_text_append_word(out, profile->unique_id);
    g_string_append_printf(out, "\n%d\n%d\n", profile->time_mode, profile->profile_mode);
    /* In THREAD mode these lines name the thread. */
    const gint64 id = profile->thread_id != 0 ? profile->thread_id : profile->pid;
    fc_text_append_signed(out, CLAMP(id, G_MININT32, G_MAXINT32));
    g_string_append_c(out, '\n');
    fc_text_append_signed(out, CLAMP(profile->ppid, G_MININT32, G_MAXINT32));
    g_string_append_c(out, '\n');
    fc_text_append_number(out, MIN(to_us(profile->run_ns), G_MAXUINT32));
    g_string_append_c(out, '\n');
}

/* ---- Call graph: (site, callee) summed over callers ------------------------- */

typedef struct
{
    guint64 site;
    guint64 callee;
    guint64 calls;
} Pair;

static guint pair_hash(gconstpointer key)
{
    const Pair *pair = key;
    guint64 mixed = (pair->site ^ (pair->callee << 21 | pair->callee >> 43)) *
                    G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(mixed >> 32);
}

static gboolean pair_equal(gconstpointer a, gconstpointer b)
{
    const Pair *left = a;
    const Pair *right = b;
    return left->site == right->site && left->callee == right->callee;
}

static void append_graph(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    /* Never larger than the arcs, so the table may point into it. */
    g_autofree Pair *pairs = g_new(Pair, profile->arcs->len + 1);
    g_autoptr(GHashTable) known = g_hash_table_new(pair_hash, pair_equal);
    guint count = 0;

    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        const FcProfileFunction *callee =
            &g_array_index(profile->functions, FcProfileFunction, arc->callee);
        Pair *pair = &pairs[count];
        *pair = (Pair){arc->site.address, callee->place.address, arc->calls};
        Pair *earlier = g_hash_table_lookup(known, pair);
        if (earlier)
        {
            earlier->calls += arc->calls;
            continue;
        }
        g_hash_table_add(known, pair);
        count++;
    }

    fc_text_append_number(out, count);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < count; i++)
    {
        append_pointer(out, pairs[i].site);
        g_string_append_c(out, ' ');
        append_pointer(out, pairs[i].callee);
        append_limited(out, pairs[i].calls, G_MAXINT32);
        g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

/* ---- Functions, libraries, memory ------------------------------------------- */

static void append_functions(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    fc_text_append_number(out, profile->functions->len);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        append_pointer(out, function->place.address);
        append_limited(out, function->calls, G_MAXINT32);
        append_limited(out, to_us(function->times.local_ns), G_MAXINT64);
        append_limited(out, to_us(function->times.total_ns), G_MAXINT64);
        append_limited(out, to_us(function->bounds.total_min_ns), G_MAXUINT32);
        append_limited(out, to_us(function->bounds.total_max_ns), G_MAXUINT32);
        append_limited(out, to_us(function->bounds.local_min_ns), G_MAXUINT32);
        append_limited(out, to_us(function->bounds.local_max_ns), G_MAXUINT32);
        g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

/* Additional libraries: not the program itself, each path once. */
static void append_libraries(const FcProfile *profile, GString *out)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GString) lines = g_string_new(NULL);

    for (guint i = 0; i < profile->modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);
        const char *path = module->path;
        if (!path || *path == '\0' || g_strcmp0(path, profile->executable) == 0 ||
            !g_hash_table_add(seen, (gpointer)path))
            continue;
        append_pointer(lines, module->base);
        g_string_append_c(lines, ' ');
        fc_text_append_word(lines, path);
        g_string_append_c(lines, '\n');
    }
    fc_text_append_number(out, g_hash_table_size(seen));
    g_string_append_c(out, '\n');
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

static void append_blocks(const GArray *blocks, gboolean are_leaks, GString *out,
                          const FcFormatSink *sink)
{
    fc_text_append_number(out, blocks->len);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < blocks->len; i++)
    {
        const FcProfileBlock *block = &g_array_index(blocks, FcProfileBlock, i);
        append_pointer(out, are_leaks ? block->pointer : block->site);
        if (are_leaks)
        {
            append_limited(out, block->size_bytes, G_MAXINT32);
            g_string_append_c(out, ' ');
            append_pointer(out, block->site);
        }
        g_string_append_c(out, ' ');
        append_pointer(out, are_leaks ? block->realloc_site : block->pointer);
        for (guint j = 0; block->stack && j < block->stack->len; j++)
        {
            g_string_append_c(out, ' ');
            append_pointer(out, g_array_index(block->stack, guint64, j));
        }
        g_string_append_c(out, ' ');
        g_string_append(out, null_pointer);
        g_string_append_c(out, '\n');
        fc_format_pass_on(sink, out);
    }
}

void fc_format_v3_figures(const FcProfile *profile, gboolean announced, GString *out,
                          const FcFormatSink *sink)
{
    append_head(profile, announced, out);
    append_graph(profile, out, sink);
    append_functions(profile, out, sink);
    append_libraries(profile, out);
}

void fc_format_v3_blocks(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    append_blocks(profile->leaks, TRUE, out, sink);
    append_blocks(profile->bad_frees, FALSE, out, sink);
    append_blocks(profile->bad_reallocs, FALSE, out, sink);
}
