/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses gmon.out files from memory.  See gmon-read.h.
 */
#include "fcgprof/gmon-read.h"

#include "fcgprof/graph.h"
#include "fcgprof/hist.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
    const guint8 *at;
    const guint8 *end;
    FcGmonLayout layout;
} Input;

static gsize bytes_left(const Input *input)
{
    return (gsize)(input->end - input->at);
}

static guint64 take_uint(Input *input, guint n_bytes)
{
    guint64 value = 0;

    if (input->layout.is_big_endian)
    {
        for (guint i = 0; i < n_bytes; i++)
            value = value << 8 | input->at[i];
    }
    else
    {
        for (guint i = n_bytes; i > 0; i--)
            value = value << 8 | input->at[i - 1];
    }
    input->at += n_bytes;
    return value;
}

static gboolean read_32(Input *input, guint32 *value)
{
    if (bytes_left(input) < 4)
        return FALSE;
    *value = (guint32)take_uint(input, 4);
    return TRUE;
}

static gboolean read_addr(Input *input, guint64 *value)
{
    if (bytes_left(input) < input->layout.addr_bytes)
        return FALSE;
    *value = take_uint(input, input->layout.addr_bytes);
    return TRUE;
}

static gboolean fail(GError **error, const char *what)
{
    g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_PROFILE, what);
    return FALSE;
}

static gboolean fail_short(GError **error)
{
    return fail(error, "unexpected end of file");
}

static gboolean read_bins(Input *input, guint32 *bins, guint32 n, GError **error)
{
    if (bytes_left(input) / 2 < n)
        return fail_short(error);
    for (guint32 i = 0; i < n; i++)
        bins[i] += (guint32)take_uint(input, 2);
    return TRUE;
}

static gboolean read_hist(FcGModel *model, Input *input, GError **error)
{
    FcGHistHeader header = {0};
    FcGHist *hist;

    if (!read_addr(input, &header.low) || !read_addr(input, &header.high) ||
        !read_32(input, &header.n_bins) || !read_32(input, &header.rate) || bytes_left(input) < 16)
        return fail_short(error);
    memcpy(header.dimension, input->at, 15);
    header.abbreviation = (char)input->at[15];
    input->at += 16;
    /* Before memory is taken for bins that cannot be there. */
    if (bytes_left(input) / 2 < header.n_bins)
        return fail_short(error);
    hist = fc_ghist_declare(model, &header, error);
    return hist && read_bins(input, hist->bins, hist->n_bins, error);
}

static gboolean read_arc(FcGModel *model, Input *input, GError **error)
{
    guint64 from, self;
    guint32 count;

    if (!read_addr(input, &from) || !read_addr(input, &self) || !read_32(input, &count))
        return fail_short(error);
    fc_ggraph_record(model, from, self, count);
    return TRUE;
}

static void add_block(FcGModel *model, guint64 addr, guint64 count)
{
    FcGSym *sym = fc_gsymtab_find(&model->symtab, addr);

    if (!sym)
        return;
    if (!sym->blocks)
        sym->blocks = fc_gmodel_alloc(model, sizeof *sym->blocks);
    for (guint i = 0; i < FC_GBLOCKS_MAX; i++)
    {
        if (sym->blocks->addr[i] != 0 && sym->blocks->addr[i] != addr)
            continue;
        sym->blocks->addr[i] = addr;
        sym->blocks->count[i] += count;
        return;
    }
}

/* A string that the end of the file may cut short. */
static void skip_string(Input *input)
{
    const guint8 *nul = memchr(input->at, 0, bytes_left(input));

    input->at = nul ? nul + 1 : input->end;
}

/* The number of blocks, and all of version 0's records, lie in the byte order and width
 * of the machine that reads, whatever the image's are: that is how they are written. */
static gboolean read_host(Input *input, void *value, gsize n_bytes)
{
    if (bytes_left(input) < n_bytes)
        return FALSE;
    memcpy(value, input->at, n_bytes);
    input->at += n_bytes;
    return TRUE;
}

static gboolean read_old_block(Input *input, guint64 *addr, guint64 *count)
{
    guint32 line;

    if (!read_host(input, count, sizeof *count) || !read_host(input, addr, sizeof *addr))
        return FALSE;
    skip_string(input);
    skip_string(input);
    return read_host(input, &line, sizeof line);
}

static gboolean read_blocks(FcGModel *model, Input *input, GError **error)
{
    gboolean is_old = model->file_version == 0;
    guint32 n;

    if (!read_host(input, &n, sizeof n))
        return fail_short(error);
    if (is_old)
        skip_string(input);
    for (guint32 i = 0; i < n; i++)
    {
        guint64 addr, count;

        if (is_old ? !read_old_block(input, &addr, &count)
                   : !read_addr(input, &addr) || !read_addr(input, &count))
            return fail_short(error);
        /* Counts of blocks mean something only for lines. */
        if (model->options->by_line)
            add_block(model, addr, count);
        else
            model->has_warned_blocks = TRUE;
    }
    return TRUE;
}

static gboolean parse_tagged(FcGModel *model, Input *input, FcGmonCounts *counts, GError **error)
{
    guint32 version;

    input->at += 4;
    read_32(input, &version);
    input->at += FC_GMON_HEADER_BYTES - 8;
    model->file_version = (int)version;
    if (version > FC_GMON_VERSION)
        return fail(error, "unsupported version of the format");
    while (bytes_left(input) > 0)
    {
        guint8 tag = *input->at++;
        gboolean is_good;

        switch (tag)
        {
        case FC_GMON_TAG_HIST:
            counts->n_hists++;
            model->inputs |= FC_GINPUT_HIST;
            is_good = read_hist(model, input, error);
            break;
        case FC_GMON_TAG_ARC:
            counts->n_arcs++;
            model->inputs |= FC_GINPUT_ARCS;
            is_good = read_arc(model, input, error);
            break;
        case FC_GMON_TAG_BLOCKS:
            counts->n_blocks++;
            model->inputs |= FC_GINPUT_BLOCKS;
            is_good = read_blocks(model, input, error);
            break;
        default:
            g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_PROFILE,
                        "record of unknown kind %u; damaged?", tag);
            is_good = FALSE;
        }
        if (!is_good)
            return FALSE;
    }
    return TRUE;
}

static gboolean read_old_header(FcGModel *model, Input *input, FcGHistHeader *header, guint32 *size,
                                guint *header_bytes, GError **error)
{
    const guint8 *start = input->at;
    guint32 magic;

    if (!read_addr(input, &header->low) || !read_addr(input, &header->high) ||
        !read_32(input, size))
        return fail(error, "not in a format of gmon.out");
    *header_bytes = (guint)(input->at - start);
    if (!read_32(input, &magic))
        return fail(error, "not in a format of gmon.out");
    if (magic == FC_GMON_BSD44_MAGIC)
    {
        if (!read_32(input, &header->rate))
            return fail(error, "not in a format of gmon.out");
        if (model->rate == 0)
            model->rate = header->rate;
        else if (model->rate != (long)header->rate)
            return fail(error, "its sampling rate is not that of the first file");
        *header_bytes += FC_GMON_BSD44_EXTRA_BYTES;
    }
    else if (model->options->format == FC_GFORMAT_BSD44)
    {
        return fail(error, "bad magic number");
    }
    return TRUE;
}

static gboolean parse_old(FcGModel *model, Input *input, FcGmonCounts *counts, GError **error)
{
    const guint8 *start = input->at;
    FcGHistHeader header = {0};
    guint32 size;
    guint header_bytes;
    guint64 from, self, count;

    model->inputs = FC_GINPUT_HIST | FC_GINPUT_ARCS;
    if (!read_old_header(model, input, &header, &size, &header_bytes, error))
        return FALSE;
    if (header.low > header.high || size < header_bytes)
        return fail(error, "not in a format of gmon.out");
    /* Spare bytes may be missing where nothing follows. */
    input->at = start + MIN(header_bytes, (gsize)(input->end - start));
    header.n_bins = (size - header_bytes) / 2;
    if (model->n_hists > 0 && model->hists->high != 0 &&
        (model->hists->low != header.low || model->hists->high != header.high ||
         model->hists->n_bins != header.n_bins))
        return fail(error, "its range or size is not that of the first file");
    if (bytes_left(input) / 2 < header.n_bins)
        return fail_short(error);
    if (header.n_bins > 0)
        counts->n_hists++;
    if (model->n_hists == 0)
    {
        model->hists = g_new0(FcGHist, 1);
        model->n_hists = 1;
        model->hists->low = header.low;
        model->hists->high = header.high;
        model->hists->n_bins = header.n_bins;
        model->hists->bins = g_new0(guint32, (gsize)header.n_bins + 1);
        model->scale = fc_ghist_scale(&header);
    }
    if (!read_bins(input, model->hists->bins, MIN(header.n_bins, model->hists->n_bins), error))
        return FALSE;
    /* Here counts are as wide as addresses. */
    while (read_addr(input, &from) && read_addr(input, &self) && read_addr(input, &count))
    {
        counts->n_arcs++;
        fc_ggraph_record(model, from, self, count);
    }
    if (model->rate == 0)
        model->rate = 100; /* the clock of systems that wrote such files */
    return TRUE;
}

gboolean fc_gmon_parse(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                       const FcGmonLayout *layout, FcGmonCounts *counts, GError **error)
{
    FcGFormat format = model->options->format;
    Input input = {bytes, bytes + n_bytes, *layout};
    gboolean has_magic;

    memset(counts, 0, sizeof *counts);
    if (n_bytes < FC_GMON_HEADER_BYTES)
        return fail(error, "too short for a profile");
    has_magic = memcmp(bytes, "gmon", 4) == 0;
    if (format == FC_GFORMAT_MAGIC && !has_magic)
        return fail(error, "bad magic number");
    if (format == FC_GFORMAT_MAGIC || (format == FC_GFORMAT_AUTO && has_magic))
        return parse_tagged(model, &input, counts, error);
    return parse_old(model, &input, counts, error);
}

/* All that can be read from `file`: what is wrong shows in what was read. */
static char *read_stream(FILE *file, gsize *n_bytes)
{
    GString *text = g_string_new(NULL);
    char buffer[65536];
    size_t n;

    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        g_string_append_len(text, buffer, (gssize)n);
    *n_bytes = text->len;
    return g_string_free(text, FALSE);
}

/* A file is opened once only: what writes into a pipe would notice a second time. */
static FILE *open_profile(const char *path, GError **error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");

    if (!file)
        g_set_error_literal(error, FC_GPROF_ERROR, FC_GPROF_ERROR_PROFILE, g_strerror(errno));
    return file;
}

static void print_count(FILE *out, guint n, const char *what)
{
    fprintf(out, "\t%d %s%s\n", (int)n, what, n == 1 ? "" : "s");
}

gboolean fc_gmon_read(FcGModel *model, const char *path, const FcGmonLayout *layout, GError **error)
{
    g_autofree char *owned = NULL;
    GMappedFile *mapped = NULL;
    const char *bytes;
    gsize n_bytes;
    FcGmonCounts counts;
    gboolean is_good;
    FILE *file = open_profile(path, error);

    if (!file)
        return FALSE;
    if (file != stdin)
        mapped = g_mapped_file_new_from_fd(fileno(file), FALSE, NULL);
    n_bytes = mapped ? g_mapped_file_get_length(mapped) : 0;
    if (n_bytes == 0) /* or of unknown length */
        owned = read_stream(file, &n_bytes);
    if (file != stdin)
        fclose(file);
    bytes = owned ? owned : g_mapped_file_get_contents(mapped);
    is_good = fc_gmon_parse(model, (const guint8 *)bytes, n_bytes, layout, &counts, error);
    if (mapped)
        g_mapped_file_unref(mapped);
    if (!is_good || !(model->options->styles & FC_GSTYLE_INFO))
        return is_good;
    fprintf(model->out, "File `%s' (version %d) contains:\n", path, model->file_version);
    print_count(model->out, counts.n_hists, "histogram record");
    print_count(model->out, counts.n_arcs, "call-graph record");
    print_count(model->out, counts.n_blocks, "basic-block count record");
    model->has_output = TRUE;
    return TRUE;
}
