/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bytes of gmon.out files: GNU's tagged format, the old BSD layout and 4.4BSD's.  See gmon.h.
 */
#include "gmon/gmon.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum
{
    START_BYTES_MAX = 48 /* more than any header has */
};

typedef struct
{
    const guint8 *at;
    const guint8 *end;
    FcGmonLayout layout;
} Input;

G_DEFINE_QUARK(fc_gmon_error, fc_gmon_error)

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
    g_set_error_literal(error, FC_GMON_ERROR, FC_GMON_ERROR_PROFILE, what);
    return FALSE;
}

static gboolean fail_short(GError **error)
{
    return fail(error, "unexpected end of file");
}

/* ---- Records -------------------------------------------------------------------------- */

static gboolean read_bins(Input *input, const FcGmonBins *bins, GError **error)
{
    if (bytes_left(input) / 2 < bins->n)
        return fail_short(error);
    for (guint32 i = 0; i < bins->n; i++)
        bins->bins[i] += (guint32)take_uint(input, 2);
    return TRUE;
}

static gboolean read_hist(Input *input, const FcGmonVisitor *visitor, gpointer data, GError **error)
{
    FcGmonHist hist = {.has_rate = TRUE};
    FcGmonBins bins;

    if (!read_addr(input, &hist.low) || !read_addr(input, &hist.high) ||
        !read_32(input, &hist.n_bins) || !read_32(input, &hist.rate) ||
        bytes_left(input) < FC_GMON_DIMENSION_BYTES + 1)
        return fail_short(error);
    memcpy(hist.dimension, input->at, FC_GMON_DIMENSION_BYTES);
    hist.abbreviation = (char)input->at[FC_GMON_DIMENSION_BYTES];
    input->at += FC_GMON_DIMENSION_BYTES + 1;
    /* Before memory is taken for bins that cannot be there. */
    if (bytes_left(input) / 2 < hist.n_bins)
        return fail_short(error);
    return visitor->hist(&hist, FALSE, &bins, data, error) && read_bins(input, &bins, error);
}

static gboolean read_arc(Input *input, const FcGmonVisitor *visitor, gpointer data, GError **error)
{
    guint64 from, self;
    guint32 count;

    if (!read_addr(input, &from) || !read_addr(input, &self) || !read_32(input, &count))
        return fail_short(error);
    visitor->arc(from, self, count, data);
    return TRUE;
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

static gboolean read_blocks(Input *input, gboolean is_version_0, const FcGmonVisitor *visitor,
                            gpointer data, GError **error)
{
    guint32 n;

    if (!read_host(input, &n, sizeof n))
        return fail_short(error);
    if (is_version_0)
        skip_string(input);
    for (guint32 i = 0; i < n; i++)
    {
        guint64 addr, count;

        if (is_version_0 ? !read_old_block(input, &addr, &count)
                         : !read_addr(input, &addr) || !read_addr(input, &count))
            return fail_short(error);
        visitor->block(addr, count, data);
    }
    return TRUE;
}

static gboolean parse_tagged(Input *input, const FcGmonVisitor *visitor, gpointer data,
                             FcGmonContents *contents, GError **error)
{
    gboolean is_good = TRUE;

    while (is_good && bytes_left(input) > 0)
    {
        guint8 tag = *input->at++;

        switch (tag)
        {
        case FC_GMON_TAG_HIST:
            contents->n_hists++;
            is_good = read_hist(input, visitor, data, error);
            break;
        case FC_GMON_TAG_ARC:
            contents->n_arcs++;
            is_good = read_arc(input, visitor, data, error);
            break;
        case FC_GMON_TAG_BLOCKS:
            contents->n_blocks++;
            is_good = read_blocks(input, contents->version == 0, visitor, data, error);
            break;
        default:
            g_set_error(error, FC_GMON_ERROR, FC_GMON_ERROR_PROFILE,
                        "record of unknown kind %u; damaged?", tag);
            is_good = FALSE;
        }
    }
    return is_good;
}

/* What follows the header: one histogram, then arcs. */
static gboolean parse_old(Input *input, const FcGmonHist *hist, const FcGmonVisitor *visitor,
                          gpointer data, FcGmonContents *contents, GError **error)
{
    guint64 from, self, count;
    FcGmonBins bins;

    if (bytes_left(input) / 2 < hist->n_bins)
        return fail_short(error);
    if (!visitor->hist(hist, TRUE, &bins, data, error) || !read_bins(input, &bins, error))
        return FALSE;
    if (hist->n_bins > 0)
        contents->n_hists++;
    /* Here counts are as wide as addresses. */
    while (read_addr(input, &from) && read_addr(input, &self) && read_addr(input, &count))
    {
        contents->n_arcs++;
        visitor->arc(from, self, count, data);
    }
    return TRUE;
}

/* ---- Headers -------------------------------------------------------------------------- */

static gboolean read_old_start(Input *input, FcGmonFormat format, FcGmonHist *hist, GError **error)
{
    const guint8 *start = input->at;
    guint32 size, magic;

    if (!read_addr(input, &hist->low) || !read_addr(input, &hist->high) || !read_32(input, &size))
        return fail(error, "not in a format of gmon.out");
    gsize header_bytes = (gsize)(input->at - start);
    if (!read_32(input, &magic))
        return fail(error, "not in a format of gmon.out");
    if (magic == FC_GMON_BSD44_MAGIC)
    {
        if (!read_32(input, &hist->rate))
            return fail(error, "not in a format of gmon.out");
        hist->has_rate = TRUE;
        header_bytes += FC_GMON_BSD44_EXTRA_BYTES;
    }
    else if (format == FC_GMON_FORMAT_BSD44)
    {
        return fail(error, "bad magic number");
    }
    if (hist->low > hist->high || size < header_bytes)
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
    input->at += strlen(FC_GMON_MAGIC);
    read_32(input, &start->version);
    input->at += FC_GMON_SPARE_BYTES;
    return start->version <= FC_GMON_VERSION || fail(error, "unsupported version of the format");
}

gboolean fc_gmon_parse(const guint8 *bytes, gsize n_bytes, const FcGmonLayout *layout,
                       FcGmonFormat format, const FcGmonVisitor *visitor, gpointer data,
                       FcGmonContents *contents, GError **error)
{
    Input input = {bytes, bytes + n_bytes, *layout};
    Start start = {0};

    memset(contents, 0, sizeof *contents);
    if (!read_start(&input, format, &start, error))
        return FALSE;
    contents->is_old = start.is_old;
    contents->version = start.version;
    if (start.is_old)
        return parse_old(&input, &start.hist, visitor, data, contents, error);
    return parse_tagged(&input, visitor, data, contents, error);
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
        Input input = {buffer, buffer + n, *layout};
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

/* A file is opened once only: what writes into a pipe would notice a second time. */
GBytes *fc_gmon_load(const char *path, const FcGmonLayout *layout, FcGmonFormat format,
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

/* ---- Writing ------------------------------------------------------------------------- */

void fc_gmon_put_uint(const FcGmonWriter *writer, guint64 value, guint n_bytes)
{
    guint8 bytes[sizeof value];

    for (guint i = 0; i < n_bytes; i++)
        bytes[writer->layout.is_big_endian ? n_bytes - 1 - i : i] = (guint8)(value >> (8 * i));
    fwrite(bytes, 1, n_bytes, writer->file);
}

void fc_gmon_put_addr(const FcGmonWriter *writer, guint64 value)
{
    fc_gmon_put_uint(writer, value, writer->layout.addr_bytes);
}

void fc_gmon_put_spare(const FcGmonWriter *writer)
{
    static const char zeros[FC_GMON_SPARE_BYTES];

    fwrite(zeros, 1, sizeof zeros, writer->file);
}

void fc_gmon_put_header(const FcGmonWriter *writer)
{
    fputs(FC_GMON_MAGIC, writer->file);
    fc_gmon_put_uint(writer, FC_GMON_VERSION, 4);
    fc_gmon_put_spare(writer);
}

void fc_gmon_put_hist(const FcGmonWriter *writer, const FcGmonHist *hist)
{
    fc_gmon_put_uint(writer, FC_GMON_TAG_HIST, 1);
    fc_gmon_put_addr(writer, hist->low);
    fc_gmon_put_addr(writer, hist->high);
    fc_gmon_put_uint(writer, hist->n_bins, 4);
    fc_gmon_put_uint(writer, hist->rate, 4);
    fwrite(hist->dimension, 1, FC_GMON_DIMENSION_BYTES, writer->file);
    fputc(hist->abbreviation, writer->file);
}

void fc_gmon_put_arc(const FcGmonWriter *writer, guint64 from, guint64 self, guint32 count)
{
    fc_gmon_put_uint(writer, FC_GMON_TAG_ARC, 1);
    fc_gmon_put_addr(writer, from);
    fc_gmon_put_addr(writer, self);
    fc_gmon_put_uint(writer, count, 4);
}
