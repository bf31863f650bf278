/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From gmon.out files to the model, and back to gmon.sum: GNU's tagged format, the old BSD layout
 * and 4.4BSD's.  See gmon-files.h.  The bytes are untrusted; a fuzzer hands them in, too.
 */
#include "fcgprof/gmon-files.h"

#include "fcgprof/graph.h"
#include "profile/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Bytes --------------------------------------------------------------------------- */

enum
{
    START_BYTES_MAX = 48 /* more than any header has */
};

typedef struct
{
    const guint8 *at;
    const guint8 *end;
    FcGmonLayout layout;
    gboolean is_short; /* something was asked for that is behind the end, and is 0 */
} Input;

/* How a file begins. */
typedef struct
{
    gboolean is_old;
    guint32 version; /* else */
    FcGmonHist hist; /* of an old one */
} Start;

static gsize bytes_left(const Input *input)
{
    return (gsize)(input->end - input->at);
}

/* NULL beyond the end. */
static const guint8 *take_bytes(Input *input, gsize n)
{
    const guint8 *bytes = input->at;

    if (bytes_left(input) < n)
    {
        input->is_short = TRUE;
        return NULL;
    }
    input->at += n;
    return bytes;
}

static guint64 take_ordered(Input *input, guint n_bytes, gboolean is_big_endian)
{
    const guint8 *bytes = take_bytes(input, n_bytes);
    guint64 value = 0;

    for (guint i = 0; bytes && i < n_bytes; i++)
        value = value << 8 | bytes[is_big_endian ? i : n_bytes - 1 - i];
    return value;
}

static guint64 take_uint(Input *input, guint n_bytes)
{
    return take_ordered(input, n_bytes, input->layout.is_big_endian);
}

static guint64 take_addr(Input *input)
{
    return take_uint(input, input->layout.addr_bytes);
}

/* The number of blocks, and all of version 0's records, lie in the byte order and width
 * of the machine that reads, whatever the image's are: that is how they are written. */
static guint64 take_host(Input *input, guint n_bytes)
{
    return take_ordered(input, n_bytes, G_BYTE_ORDER == G_BIG_ENDIAN);
}

/* A string that the end of the file may cut short. */
static void skip_string(Input *input)
{
    const guint8 *nul = memchr(input->at, 0, bytes_left(input));

    input->at = nul ? nul + 1 : input->end;
}

static gboolean fail(GError **error, const char *what)
{
    g_set_error_literal(error, FC_GMON_ERROR, FC_GMON_ERROR_PROFILE, what);
    return FALSE;
}

static gboolean check_end(const Input *input, GError **error)
{
    return !input->is_short || fail(error, "unexpected end of file");
}

/* ---- Records -------------------------------------------------------------------------- */

/* Of the old layouts if `is_old`. */
static gboolean read_bins(Input *input, const FcGmonHist *header, gboolean is_old, FcGModel *model,
                          GError **error)
{
    /* Before memory is taken for bins that cannot be there. */
    input->is_short |= bytes_left(input) / 2 < header->n_bins;
    if (!check_end(input, error))
        return FALSE;
    const FcGmonHist *hist = fc_ghist_declare(model, header, is_old, error);
    if (!hist)
        return FALSE;
    guint32 n_bins = is_old ? MIN(hist->n_bins, header->n_bins) : hist->n_bins;
    const guint8 *bytes = take_bytes(input, (gsize)n_bins * 2);
    guint high = input->layout.is_big_endian ? 0 : 1;
    for (gsize i = 0; bytes && i < n_bins; i++)
        hist->bins[i] += (guint32)bytes[2 * i + high] << 8 | bytes[2 * i + 1 - high];
    return check_end(input, error);
}

static gboolean read_hist(Input *input, FcGModel *model, GError **error)
{
    FcGmonHist header = {.low = take_addr(input), .has_rate = TRUE};

    header.high = take_addr(input);
    header.n_bins = (guint32)take_uint(input, 4);
    header.rate = (guint32)take_uint(input, 4);
    const guint8 *dimension = take_bytes(input, FC_GMON_DIMENSION_BYTES + 1);
    if (dimension)
    {
        memcpy(header.dimension, dimension, FC_GMON_DIMENSION_BYTES);
        header.abbreviation = (char)dimension[FC_GMON_DIMENSION_BYTES];
    }
    return read_bins(input, &header, FALSE, model, error);
}

/* Counts are as wide as `count_bytes`.  FALSE at the end. */
static gboolean read_arc(Input *input, guint count_bytes, FcGModel *model)
{
    guint64 from = take_addr(input), self = take_addr(input), count = take_uint(input, count_bytes);

    if (!input->is_short)
        fc_ggraph_record(model, from, self, count);
    return !input->is_short;
}

/* Counts of blocks mean something only for lines. */
static void add_block(FcGModel *model, guint64 addr, guint64 count)
{
    FcGSym *sym = fc_gsymtab_find(&model->symtab, addr);

    if (!model->options->by_line)
        model->has_warned_blocks = TRUE;
    else if (sym)
        fc_gsym_add_block(model, sym, addr, count, FC_GBLOCKS_MAX);
}

static gboolean read_blocks(Input *input, gboolean is_version_0, FcGModel *model, GError **error)
{
    guint32 n = (guint32)take_host(input, 4);

    if (is_version_0)
        skip_string(input);
    for (guint32 i = 0; i < n && !input->is_short; i++)
    {
        guint64 addr, count;

        if (is_version_0)
        {
            count = take_host(input, sizeof count);
            addr = take_host(input, sizeof addr);
            skip_string(input);
            skip_string(input);
            take_host(input, 4); /* the line */
        }
        else
        {
            addr = take_addr(input);
            count = take_addr(input);
        }
        if (!input->is_short)
            add_block(model, addr, count);
    }
    return check_end(input, error);
}

static gboolean read_tagged(Input *input, FcGModel *model, FcGmonContents *contents, GError **error)
{
    gboolean is_good = TRUE;

    while (is_good && bytes_left(input) > 0)
    {
        guint8 tag = *input->at++;

        switch (tag)
        {
        case FC_GMON_TAG_HIST:
            contents->n_hists++;
            model->inputs |= FC_GINPUT_HIST;
            is_good = read_hist(input, model, error);
            break;
        case FC_GMON_TAG_ARC:
            contents->n_arcs++;
            model->inputs |= FC_GINPUT_ARCS;
            is_good = read_arc(input, 4, model) || check_end(input, error);
            break;
        case FC_GMON_TAG_BLOCKS:
            contents->n_blocks++;
            model->inputs |= FC_GINPUT_BLOCKS;
            is_good = read_blocks(input, contents->version == 0, model, error);
            break;
        default:
            g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_PROFILE,
                        "record of unknown kind %u; damaged?", tag);
            is_good = FALSE;
        }
    }
    model->file_version = (int)contents->version;
    return is_good;
}

/* What follows the header: one histogram, then arcs, both possibly empty. */
static gboolean read_old(Input *input, const FcGmonHist *hist, FcGModel *model,
                         FcGmonContents *contents, GError **error)
{
    if (!read_bins(input, hist, TRUE, model, error))
        return FALSE;
    contents->n_hists = hist->n_bins > 0;
    while (read_arc(input, input->layout.addr_bytes, model))
        contents->n_arcs++;
    model->inputs = FC_GINPUT_HIST | FC_GINPUT_ARCS;
    return TRUE;
}

/* ---- Headers -------------------------------------------------------------------------- */

static gboolean read_old_start(Input *input, FcGmonFormat format, FcGmonHist *hist, GError **error)
{
    const guint8 *start = input->at;

    hist->low = take_addr(input);
    hist->high = take_addr(input);
    guint32 size = (guint32)take_uint(input, 4);
    gsize header_bytes = (gsize)(input->at - start);
    if (take_uint(input, 4) == FC_GMON_BSD44_MAGIC)
    {
        hist->rate = (guint32)take_uint(input, 4);
        hist->has_rate = TRUE;
        header_bytes += FC_GMON_BSD44_EXTRA_BYTES;
    }
    else if (format == FC_GMON_FORMAT_BSD44 && !input->is_short)
    {
        return fail(error, "bad magic number");
    }
    if (input->is_short || hist->low > hist->high || size < header_bytes)
        return fail(error, "not in a format of gmon.out");
    hist->n_bins = (guint32)((size - header_bytes) / 2);
    /* Spare bytes may be missing where nothing follows. */
    input->at = start + MIN(header_bytes, (gsize)(input->end - start));
    return TRUE;
}

static gboolean read_start(Input *input, FcGmonFormat format, Start *start, GError **error)
{
    if (bytes_left(input) < FC_GMON_HEADER_BYTES)
        return fail(error, "too short for a profile");
    gboolean has_magic = memcmp(input->at, FC_GMON_MAGIC, strlen(FC_GMON_MAGIC)) == 0;
    if (format == FC_GMON_FORMAT_MAGIC && !has_magic)
        return fail(error, "bad magic number");
    start->is_old = format == FC_GMON_FORMAT_AUTO ? !has_magic : format != FC_GMON_FORMAT_MAGIC;
    if (start->is_old)
        return read_old_start(input, format, &start->hist, error);
    take_bytes(input, strlen(FC_GMON_MAGIC));
    start->version = (guint32)take_uint(input, 4);
    take_bytes(input, FC_GMON_SPARE_BYTES);
    return start->version <= FC_GMON_VERSION || fail(error, "unsupported version of the format");
}

gboolean fc_gmodel_add_gmon(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                            const FcGmonLayout *layout, FcGmonContents *contents, GError **error)
{
    Input input = {bytes, bytes + n_bytes, *layout, FALSE};
    Start start = {0};

    memset(contents, 0, sizeof *contents);
    if (!read_start(&input, model->options->format, &start, error))
        return FALSE;
    contents->version = start.version;
    return start.is_old ? read_old(&input, &start.hist, model, contents, error)
                        : read_tagged(&input, model, contents, error);
}

/* ---- Files ---------------------------------------------------------------------------- */

/* All that can be read: what goes wrong shows in what was read. */
static GBytes *read_stream(FILE *file, const FcGmonLayout *layout, FcGmonFormat format,
                           GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    guint8 buffer[65536];
    size_t n;

    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
    {
        Input input = {buffer, buffer + n, *layout, FALSE};
        Start start = {0};

        /* A stream without an end is mostly nothing to wait for the end of. */
        if (bytes->len == 0 && n >= START_BYTES_MAX && !read_start(&input, format, &start, error))
            return NULL;
        g_byte_array_append(bytes, buffer, (guint)n);
        if (bytes->len > FC_GMON_STREAM_BYTES_MAX)
        {
            fail(error, "too large for a profile that comes through a pipe");
            return NULL;
        }
    }
    return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

/* The bytes of a file ("-" is standard input).  It is opened once only: what writes into a pipe
 * would notice a second time. */
static GBytes *load(const char *path, const FcGmonLayout *layout, FcGmonFormat format,
                    GError **error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    GMappedFile *mapped = NULL;
    GBytes *bytes;

    if (!file)
    {
        fail(error, g_strerror(errno));
        return NULL;
    }
    if (file != stdin)
        mapped = g_mapped_file_new_from_fd(fileno(file), FALSE, NULL);
    if (mapped && g_mapped_file_get_length(mapped) > 0)
        bytes = g_mapped_file_get_bytes(mapped);
    else /* empty, or of unknown length */
        bytes = read_stream(file, layout, format, error);
    if (mapped)
        g_mapped_file_unref(mapped);
    if (file != stdin)
        fclose(file);
    return bytes;
}

static void print_count(FILE *out, guint n, const char *what)
{
    fprintf(out, "\t%d %s%s\n", (int)n, what, n == 1 ? "" : "s");
}

gboolean fc_gmodel_read_gmon(FcGModel *model, const char *path, const FcGmonLayout *layout,
                             GError **error)
{
    g_autoptr(GBytes) bytes = load(path, layout, model->options->format, error);
    FcGmonContents contents;
    gsize n_bytes;

    if (!bytes)
        return FALSE;
    const guint8 *start = g_bytes_get_data(bytes, &n_bytes);
    if (!fc_gmodel_add_gmon(model, start, n_bytes, layout, &contents, error))
        return FALSE;
    if (!(model->options->styles & FC_GSTYLE_INFO))
        return TRUE;
    fprintf(model->out, "File `%s' (version %d) contains:\n", path, model->file_version);
    print_count(model->out, contents.n_hists, "histogram record");
    print_count(model->out, contents.n_arcs, "call-graph record");
    print_count(model->out, contents.n_blocks, "basic-block count record");
    model->has_output = TRUE;
    return TRUE;
}

/* ---- Out: the sum of all profiles that were read ------------------------------------- */

static void put_arcs(const FcGModel *model, const FcGmonWriter *writer, gboolean is_tagged)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGArc *arc = model->symtab.syms[i].children; arc; arc = arc->next_child)
        {
            if (is_tagged)
            {
                fc_gmon_put_arc(writer, arc->parent->addr, arc->child->addr, (guint32)arc->count);
                continue;
            }
            fc_gmon_put_addr(writer, arc->parent->addr);
            fc_gmon_put_addr(writer, arc->child->addr);
            fc_gmon_put_addr(writer, arc->count);
        }
    }
}

static void put_blocks(const FcGModel *model, const FcGmonWriter *writer)
{
    guint n = 0;

    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGBlock *block = model->symtab.syms[i].blocks; block; block = block->next)
            n++;
    }
    fc_gmon_put_uint(writer, FC_GMON_TAG_BLOCKS, 1);
    /* In the image's byte order, though it is read in the reading machine's: so does gprof,
     * and neither reads back what it wrote for an image of the other order. */
    fc_gmon_put_uint(writer, n, 4);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        for (const FcGBlock *block = model->symtab.syms[i].blocks; block; block = block->next)
        {
            fc_gmon_put_addr(writer, block->addr);
            fc_gmon_put_addr(writer, block->count);
        }
    }
}

static void write_tagged(const FcGModel *model, const FcGmonWriter *writer)
{
    fc_gmon_put_header(writer);
    for (guint i = 0; (model->inputs & FC_GINPUT_HIST) && i < model->n_hists; i++)
    {
        FcGmonHist hist = model->hists[i];

        hist.rate = (guint32)model->rate; /* of all that were read */
        fc_gmon_put_hist(writer, &hist);
    }
    if (model->inputs & FC_GINPUT_ARCS)
        put_arcs(model, writer, TRUE);
    if (model->inputs & FC_GINPUT_BLOCKS)
        put_blocks(model, writer);
}

static void write_old(const FcGModel *model, const FcGmonWriter *writer)
{
    static const FcGmonHist none;
    const FcGmonHist *hist = model->n_hists ? model->hists : &none;
    gboolean is_bsd44 = model->options->format == FC_GMON_FORMAT_BSD44 || model->rate != 100;
    guint header_bytes = writer->layout.addr_bytes * 2 + 4;

    if (is_bsd44)
        header_bytes += FC_GMON_BSD44_EXTRA_BYTES;
    fc_gmon_put_addr(writer, hist->low);
    fc_gmon_put_addr(writer, hist->high);
    fc_gmon_put_uint(writer, (guint64)hist->n_bins * 2 + header_bytes, 4);
    if (is_bsd44)
    {
        fc_gmon_put_uint(writer, FC_GMON_BSD44_MAGIC, 4);
        fc_gmon_put_uint(writer, (guint64)model->rate, 4);
        fc_gmon_put_spare(writer);
    }
    fc_gmon_put_bins(writer, hist);
    put_arcs(model, writer, FALSE);
}

gboolean fc_gmodel_write_gmon(const FcGModel *model, const char *path, const FcGmonLayout *layout,
                              GError **error)
{
    g_autoptr(GError) reason = NULL;
    FcOutput *output = fc_output_begin(path, &reason);

    if (output)
    {
        FcGmonWriter writer = {fc_output_stream(output), *layout};

        if (model->options->format == FC_GMON_FORMAT_AUTO ||
            model->options->format == FC_GMON_FORMAT_MAGIC)
            write_tagged(model, &writer);
        else
            write_old(model, &writer);
        if (fc_output_end(output, TRUE, &reason))
            return TRUE;
    }
    g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_OUTPUT, "%s: %s", path, reason->message);
    return FALSE;
}
