/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first part of a .fc file; see v3.h.
 *
 * Readers of version 3.0 use scanf with %d and %u, so a larger number is written as the largest
 * that they can take.  The second part has the exact one.
 *
 * The text has addresses, microseconds and the libraries' base addresses.  So when it is read, arcs
 * have no caller, and each location belongs to the library with the highest base that is not above
 * it. The program itself is not in the list; it lies below the libraries.
 */
#include "profile/v3.h"
#include "profile/search.h"

#include <string.h>

/* ---- Writing: the head ---------------------------------------------------------- */

/* Scanf's %p reads this as NULL. */
static const char null_pointer[] = "(nil)";

static void append_pointer(GString *out, guint64 address)
{
    if (address == 0)
        g_string_append(out, null_pointer);
    else
        fc_text_append_hex(out, address);
}

/* Appends a blank and a number, `limit` at most. */
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
    g_string_append(out, FC_V3_HEADER "\n");
    if (announced && profile->unique_id && *profile->unique_id != '\0')
    {
        g_autofree char *id = g_strconcat(profile->unique_id, FC_V3_ANNOUNCEMENT, NULL);
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

static void append_graph(const FcProfile *profile, GString *out, const FcTextSink *sink)
{
    /* There are no more pairs than arcs, so the array never moves and the table may point into it.
     */
    g_autofree Pair *pairs = g_new(Pair, profile->arcs->len + 1);
    g_autoptr(GHashTable) known = g_hash_table_new(pair_hash, pair_equal);
    guint count = 0;

    for (guint i = 0; i < profile->arcs->len; i++)
    {
        const FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        const FcProfileFunction *callee =
            &g_array_index(profile->functions, FcProfileFunction, arc->callee);
        Pair *pair = &pairs[count];
        *pair = (Pair){arc->site.address, callee->location.address, arc->calls};
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
        fc_text_pass_on(sink, out);
    }
}

/* ---- Functions, libraries, memory ------------------------------------------- */

static void append_functions(const FcProfile *profile, GString *out, const FcTextSink *sink)
{
    fc_text_append_number(out, profile->functions->len);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        append_pointer(out, function->location.address);
        append_limited(out, function->calls, G_MAXINT32);
        append_limited(out, to_us(function->times.local_ns), G_MAXINT64);
        append_limited(out, to_us(function->times.total_ns), G_MAXINT64);
        append_limited(out, to_us(function->bounds.total_min_ns), G_MAXUINT32);
        append_limited(out, to_us(function->bounds.total_max_ns), G_MAXUINT32);
        append_limited(out, to_us(function->bounds.local_min_ns), G_MAXUINT32);
        append_limited(out, to_us(function->bounds.local_max_ns), G_MAXUINT32);
        g_string_append_c(out, '\n');
        fc_text_pass_on(sink, out);
    }
}

/* Appends the libraries, each path once, without the program itself. */
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
                          const FcTextSink *sink)
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
        fc_text_pass_on(sink, out);
    }
}

void fc_v3_write_figures(const FcProfile *profile, gboolean announced, GString *out,
                         const FcTextSink *sink)
{
    append_head(profile, announced, out);
    append_graph(profile, out, sink);
    append_functions(profile, out, sink);
    append_libraries(profile, out);
}

void fc_v3_write_blocks(const FcProfile *profile, GString *out, const FcTextSink *sink)
{
    append_blocks(profile->leaks, TRUE, out, sink);
    append_blocks(profile->bad_frees, FALSE, out, sink);
    append_blocks(profile->bad_reallocs, FALSE, out, sink);
}

/* ---- Reading: the head ---------------------------------------------------------- */

/* Goes to the next line that is not empty: scanf ignores empty lines, so other writers may leave
 * some. */
static gboolean next_line(FcText *text, const char *what)
{
    do
    {
        if (!fc_text_next_line(text, what))
            return FALSE;
    } while (!fc_text_has_word(text));
    return TRUE;
}

static gboolean line_number(FcText *text, const char *what, guint64 *out)
{
    return next_line(text, what) && fc_text_number(text, what, out) && fc_text_end_line(text);
}

static gboolean line_signed(FcText *text, const char *what, gint64 *out)
{
    return next_line(text, what) && fc_text_signed(text, what, out) && fc_text_end_line(text);
}

static gboolean line_mode(FcText *text, const char *what, guint64 highest, gint *out)
{
    guint64 mode;
    if (!line_number(text, what, &mode))
        return FALSE;
    if (mode < 1 || mode > highest)
        return fc_text_fail(text, "%s is none of 1 to %" G_GUINT64_FORMAT, what, highest);
    *out = (gint)mode;
    return TRUE;
}

static gboolean time_us(FcText *text, const char *what, guint64 *out_ns)
{
    guint64 us;
    if (!fc_text_number(text, what, &us))
        return FALSE;
    if (__builtin_mul_overflow(us, 1000, out_ns))
        *out_ns = G_MAXUINT64;
    return TRUE;
}

/* Reads the session's id, and after it whether sections follow. */
static gboolean parse_id(FcText *text, FcParser *parser)
{
    char **id = &parser->profile->unique_id;
    if (!next_line(text, "the unique id") ||
        !fc_text_string(text, "the unique id", FC_TEXT_NONE | FC_TEXT_LENIENT, id) ||
        !fc_text_end_line(text))
        return FALSE;
    parser->is_announced = *id != NULL && g_str_has_suffix(*id, FC_V3_ANNOUNCEMENT) &&
                           strlen(*id) > strlen(FC_V3_ANNOUNCEMENT);
    if (parser->is_announced)
        (*id)[strlen(*id) - strlen(FC_V3_ANNOUNCEMENT)] = '\0';
    return TRUE;
}

static gboolean parse_head(FcText *text, FcParser *parser)
{
    FcProfile *profile = parser->profile;
    const char *header; /* parse.c has checked it */
    gsize header_bytes;
    return fc_text_next_line(text, "the header") &&
           fc_text_raw_word(text, "the header", &header, &header_bytes) && fc_text_end_line(text) &&
           parse_id(text, parser) && line_mode(text, "the time mode", 4, &profile->time_mode) &&
           line_mode(text, "the profile mode", 3, &profile->profile_mode) &&
           line_signed(text, "the process id", &profile->pid) &&
           line_signed(text, "the parent's process id", &profile->ppid) &&
           next_line(text, "the execution time") &&
           time_us(text, "the execution time", &profile->run_ns) && fc_text_end_line(text);
}

/* ---- Call graph and functions ------------------------------------------------ */

static FcProfileLocation location_at(guint64 address)
{
    return (FcProfileLocation){address, address, FC_NONE};
}

/* Keeps the callees' addresses until the functions are known. */
static gboolean parse_graph(FcText *text, FcProfile *profile, GArray *callees)
{
    guint64 count;
    if (!line_number(text, "the number of arcs", &count))
        return FALSE;
    for (guint64 i = 0; i < count; i++)
    {
        FcProfileArc arc = {.caller = FC_NONE};
        guint64 site;
        guint64 callee;
        if (!next_line(text, "an arc of the call graph") ||
            !fc_text_address(text, "the call site", &site) ||
            !fc_text_address(text, "the called function", &callee) ||
            !fc_text_number(text, "the number of calls", &arc.calls) || !fc_text_end_line(text))
            return FALSE;
        arc.site = location_at(site);
        g_array_append_val(profile->arcs, arc);
        g_array_append_val(callees, callee);
    }
    return TRUE;
}

static gboolean parse_functions(FcText *text, FcProfile *profile)
{
    guint64 count;
    if (!line_number(text, "the number of functions", &count))
        return FALSE;
    if (count > G_MAXINT32)
        return fc_text_fail(text, "too many functions");
    for (guint64 i = 0; i < count; i++)
    {
        FcProfileFunction function = {0};
        guint64 address;
        if (!next_line(text, "a function") || !fc_text_address(text, "the function", &address) ||
            !fc_text_number(text, "the number of calls", &function.calls) ||
            !time_us(text, "the local time", &function.times.local_ns) ||
            !time_us(text, "the total time", &function.times.total_ns) ||
            !time_us(text, "the least total time", &function.bounds.total_min_ns) ||
            !time_us(text, "the greatest total time", &function.bounds.total_max_ns) ||
            !time_us(text, "the least local time", &function.bounds.local_min_ns) ||
            !time_us(text, "the greatest local time", &function.bounds.local_max_ns) ||
            !fc_text_end_line(text))
            return FALSE;
        function.location = location_at(address);
        g_array_append_val(profile->functions, function);
    }
    return TRUE;
}

static guint address_hash(gconstpointer key)
{
    return (guint)((*(const guint64 *)key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) >> 32);
}

static gboolean address_equal(gconstpointer a, gconstpointer b)
{
    return *(const guint64 *)a == *(const guint64 *)b;
}

/* Connects arcs and functions.  A callee that has no line of its own becomes a function with that
 * arc's calls. */
static void connect_arcs(FcProfile *profile, const GArray *callees)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(address_hash, address_equal, g_free, NULL);
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const guint64 address =
            g_array_index(profile->functions, FcProfileFunction, i).location.address;
        if (!g_hash_table_contains(known, &address))
            g_hash_table_insert(known, g_memdup2(&address, sizeof address), GUINT_TO_POINTER(i));
    }
    for (guint i = 0; i < callees->len; i++)
    {
        FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        const guint64 address = g_array_index(callees, guint64, i);
        gpointer index;
        if (!g_hash_table_lookup_extended(known, &address, NULL, &index))
        {
            const FcProfileFunction function = {.location = location_at(address)};
            index = GUINT_TO_POINTER(profile->functions->len);
            g_array_append_val(profile->functions, function);
            g_hash_table_insert(known, g_memdup2(&address, sizeof address), index);
        }
        arc->callee = GPOINTER_TO_UINT(index);
    }
}

/* ---- Libraries --------------------------------------------------------------- */

static gboolean parse_libraries(FcText *text, FcProfile *profile)
{
    guint64 count;
    if (!line_number(text, "the number of libraries", &count))
        return FALSE;
    for (guint64 i = 0; i < count; i++)
    {
        FcProfileModule module = {.unload_ns = G_MAXUINT64};
        if (!next_line(text, "a library") ||
            !fc_text_address(text, "the library's address", &module.base) ||
            !fc_text_rest(text, "the library's name", &module.path))
            return FALSE;
        module.start = module.base;
        g_array_append_val(profile->modules, module);
    }
    return TRUE;
}

static gint compare_bases(gconstpointer a, gconstpointer b, gpointer modules)
{
    const guint64 left = g_array_index((GArray *)modules, FcProfileModule, *(const gint *)a).base;
    const guint64 right = g_array_index((GArray *)modules, FcProfileModule, *(const gint *)b).base;
    return (left > right) - (left < right);
}

static void location_in(FcProfileLocation *location, const GArray *modules, const gint *order)
{
    const size_t behind =
        FC_FIRST_WHERE(modules->len, i,
                       g_array_index(modules, FcProfileModule, order[i]).base > location->address);
    if (behind == 0)
        return;
    location->module = order[behind - 1];
    location->offset =
        location->address - g_array_index(modules, FcProfileModule, location->module).base;
}

/* Gives each library the addresses up to the next library, and each location its library. */
static void assign_libraries(FcProfile *profile)
{
    const guint count = profile->modules->len;
    g_autofree gint *order = g_new(gint, count + 1);
    for (guint i = 0; i < count; i++)
        order[i] = (gint)i;
    g_qsort_with_data(order, (gint)count, sizeof *order, compare_bases, profile->modules);
    for (guint i = 0; i < count; i++)
        g_array_index(profile->modules, FcProfileModule, order[i]).end =
            i + 1 < count ? g_array_index(profile->modules, FcProfileModule, order[i + 1]).base
                          : G_MAXUINT64;
    for (guint i = 0; i < profile->functions->len; i++)
        location_in(&g_array_index(profile->functions, FcProfileFunction, i).location,
                    profile->modules, order);
    for (guint i = 0; i < profile->arcs->len; i++)
        location_in(&g_array_index(profile->arcs, FcProfileArc, i).site, profile->modules, order);
}

/* ---- Memory ------------------------------------------------------------------ */

/* Stacks that were read.  Most come again and again, and are kept once. */
typedef struct
{
    GArray *scratch;
    GHashTable *known; /* GArray: a set */
} Stacks;

static guint stack_hash(gconstpointer key)
{
    const GArray *stack = key;
    guint64 mixed = stack->len;
    for (guint i = 0; i < stack->len; i++)
        mixed = (mixed ^ g_array_index(stack, guint64, i)) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(mixed >> 32);
}

static gboolean stack_equal(gconstpointer a, gconstpointer b)
{
    const GArray *left = a;
    const GArray *right = b;
    return left->len == right->len &&
           (left->len == 0 || memcmp(left->data, right->data, left->len * sizeof(guint64)) == 0);
}

static void stack_free(gpointer stack)
{
    g_array_unref(stack);
}

/* Returns a reference, which belongs to the caller. */
static GArray *keep_stack(const Stacks *stacks)
{
    GArray *known = g_hash_table_lookup(stacks->known, stacks->scratch);
    if (!known)
    {
        known = g_array_sized_new(FALSE, FALSE, sizeof(guint64), stacks->scratch->len);
        if (stacks->scratch->len > 0)
            g_array_append_vals(known, stacks->scratch->data, stacks->scratch->len);
        g_hash_table_add(stacks->known, known);
    }
    return g_array_ref(known);
}

/* `stacks`: NULL if the block will not be kept. */
static gboolean parse_stack(FcText *text, const Stacks *stacks, FcProfileBlock *block)
{
    guint64 address;
    if (stacks)
        g_array_set_size(stacks->scratch, 0);
    do
    {
        if (!fc_text_address(text, "the NULL that ends the stack", &address))
            return FALSE;
        if (address != 0 && stacks)
            g_array_append_val(stacks->scratch, address);
    } while (address != 0);
    if (stacks)
        block->stack = keep_stack(stacks);
    return fc_text_end_line(text);
}

static gboolean parse_block(FcText *text, const Stacks *stacks, gboolean are_leaks,
                            FcProfileBlock *block)
{
    if (!are_leaks)
        return fc_text_address(text, "the place", &block->site) &&
               fc_text_address(text, "the pointer", &block->pointer) &&
               parse_stack(text, stacks, block);
    return fc_text_address(text, "the block", &block->pointer) &&
           fc_text_number(text, "the size", &block->size_bytes) &&
           fc_text_address(text, "the place of allocation", &block->site) &&
           fc_text_address(text, "the place of reallocation", &block->realloc_site) &&
           parse_stack(text, stacks, block);
}

static gboolean parse_blocks(FcParser *parser, const char *what, const Stacks *stacks,
                             gboolean are_leaks, GArray *blocks, FcProfileSum *unlisted)
{
    FcText *text = &parser->text;
    guint64 count;
    if (!line_number(text, what, &count))
        return FALSE;
    for (guint64 i = 0; i < count; i++)
    {
        FcProfileBlock block = {0};
        const gboolean keep = blocks->len < FC_PROFILE_BLOCKS_MAX;
        if (!next_line(text, "an entry of memory") ||
            !parse_block(text, keep ? stacks : NULL, are_leaks, &block))
        {
            g_clear_pointer(&block.stack, g_array_unref);
            return FALSE;
        }
        /* Our own writer limits numbers to what readers of version 3.0 can take. */
        if (parser->is_announced && block.size_bytes > G_MAXINT32)
        {
            g_clear_pointer(&block.stack, g_array_unref);
            return fc_text_fail(text, "the size is more than fits there");
        }
        if (keep)
        {
            g_array_append_val(blocks, block);
            continue;
        }
        unlisted->blocks++;
        unlisted->bytes += block.size_bytes;
    }
    return TRUE;
}

static gboolean parse_memory(FcParser *parser)
{
    FcProfile *profile = parser->profile;
    FcProfileSum *unlisted = &profile->unlisted_leaks;
    FcProfileSum bad = {0};
    const Stacks stacks = {g_array_new(FALSE, FALSE, sizeof(guint64)),
                           g_hash_table_new_full(stack_hash, stack_equal, stack_free, NULL)};
    const gboolean good =
        parse_blocks(parser, "the number of leaks", &stacks, TRUE, profile->leaks, unlisted) &&
        parse_blocks(parser, "the number of bad frees", &stacks, FALSE, profile->bad_frees, &bad) &&
        parse_blocks(parser, "the number of bad reallocs", &stacks, FALSE, profile->bad_reallocs,
                     &bad);
    g_hash_table_unref(stacks.known);
    g_array_unref(stacks.scratch);
    return good;
}

gboolean fc_v3_read(FcParser *parser, gboolean *complete)
{
    FcText *text = &parser->text;
    FcProfile *profile = parser->profile;
    g_autoptr(GArray) callees = g_array_new(FALSE, FALSE, sizeof(guint64));

    if (!parse_head(text, parser) || !parse_graph(text, profile, callees) ||
        !parse_functions(text, profile) || !parse_libraries(text, profile))
        return FALSE;
    connect_arcs(profile, callees);
    assign_libraries(profile);
    *complete = !fc_text_at_end(text);
    /* the lists of blocks are nowhere else, so there is nothing to compare with */
    text->copy = NULL;
    return !*complete || parse_memory(parser);
}
