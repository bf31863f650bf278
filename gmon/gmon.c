/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the parts of a gmon.out file into a stream, and what an export is to hold into such parts.
 * See gmon.h.
 *
 * Own times become histograms.  A bin is one unit of gprof's, so none belongs to two functions.  It
 * has 16 bits, but records of the same range add up: what a function's bins can't hold in one
 * record goes into further ones, its layers.  The clock is as slow as leaves every function within
 * the bound, if need be in a large file, and else as fast as a small one allows.
 */
#include "gmon/gmon.h"

/* ---- The parts of a file ------------------------------------------------------------- */

G_DEFINE_QUARK(fc_gmon_error, fc_gmon_error)

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

void fc_gmon_put_bins(const FcGmonWriter *writer, const FcGmonHist *hist)
{
    for (guint32 i = 0; i < hist->n_bins; i++)
        fc_gmon_put_uint(writer, hist->bins[i], 2);
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
    fc_gmon_put_bins(writer, hist);
}

void fc_gmon_put_arc(const FcGmonWriter *writer, guint64 from, guint64 self, guint32 count)
{
    fc_gmon_put_uint(writer, FC_GMON_TAG_ARC, 1);
    fc_gmon_put_addr(writer, from);
    fc_gmon_put_addr(writer, self);
    fc_gmon_put_uint(writer, count, 4);
}

/* ---- An export ----------------------------------------------------------------------- */

enum
{
    BIN_MAX = G_MAXUINT16,
    HIST_HEADER_BYTES = 41,
    MERGE_GAP_BINS = 512, /* more empty bins than that are worth another record */
    ERROR_PARTS = 200,    /* an error is at most one of so many parts */
};

static const guint64 SUM_MAX = G_MAXINT32; /* gprof adds a bin's layers up in an int */
static const guint64 FILE_BYTES_GOOD = 1 << 20;
static const guint64 FILE_BYTES_MAX = 64 << 20;
static const guint64 NS_PER_S = 1000000000;

/* One function in the histograms. */
typedef struct
{
    guint64 ticks;
    guint64 unit;   /* of its first bin */
    guint32 n_bins; /* that it needs */
    guint64 layers;
} Span;

static guint64 divide_up(guint64 a, guint64 b)
{
    return a / b + (a % b != 0);
}

static guint64 to_ticks(guint64 ns, guint64 tick_ns)
{
    guint64 ticks = ns / tick_ns + (ns % tick_ns >= divide_up(tick_ns, 2));

    return MIN(ticks, G_MAXUINT64 / tick_ns);
}

/* Units that gprof counts as the function's, none where it is too short. */
static guint64 count_units(const FcGmonTime *time)
{
    guint64 first = time->start / FC_GMON_UNIT_BYTES;
    guint64 last = time->end / FC_GMON_UNIT_BYTES;

    return last > first ? last - first : 0;
}

/* FALSE where the function's bins can't hold so many ticks in any number of records. */
static gboolean make_span(const FcGmonTime *time, guint64 tick_ns, Span *span)
{
    guint64 units = MIN(count_units(time), G_MAXINT32);

    span->ticks = to_ticks(time->local_ns, tick_ns);
    span->unit = time->start / FC_GMON_UNIT_BYTES;
    span->n_bins = (guint32)CLAMP(divide_up(span->ticks, BIN_MAX), 1, MAX(units, 1));
    span->layers = divide_up(span->ticks, (guint64)span->n_bins * BIN_MAX);
    return span->ticks == 0 || (units > 0 && span->layers <= SUM_MAX / BIN_MAX);
}

static guint64 count_bytes(const Span *span)
{
    return span->layers * (HIST_HEADER_BYTES + FC_GMON_UNIT_BYTES * (guint64)span->n_bins);
}

gboolean fc_gmonout_is_inexact(const FcGmonTime *time)
{
    guint64 error = time->shown_ns > time->local_ns ? time->shown_ns - time->local_ns
                                                    : time->local_ns - time->shown_ns;

    return error > time->local_ns / ERROR_PARTS;
}

/* ---- The clock ------------------------------------------------------------------ */

/* What a clock would make of the times. */
typedef struct
{
    guint64 n_bytes;
    guint n_inexact;
    gboolean is_possible; /* no function's bins overflow */
} Outcome;

static Outcome try_clock(const FcGmonTime *times, guint count, guint64 tick_ns)
{
    Outcome outcome = {.is_possible = TRUE};

    for (guint i = 0; i < count && outcome.is_possible; i++)
    {
        FcGmonTime time = times[i];
        Span span;

        if (count_units(&time) == 0)
            continue; /* no clock helps these */
        outcome.is_possible = make_span(&time, tick_ns, &span);
        outcome.n_bytes += count_bytes(&span);
        time.shown_ns = span.ticks * tick_ns;
        outcome.n_inexact += fc_gmonout_is_inexact(&time);
    }
    return outcome;
}

/* Nanoseconds a tick: 1, 2, 5, 10, 20 ... up to a second. */
static guint64 choose_tick(const FcGmonTime *times, guint count)
{
    static const guint steps[] = {1, 2, 5};
    guint64 best_tick_ns = NS_PER_S, scale = 1;
    guint best_inexact = G_MAXUINT;

    for (guint i = 0; scale * steps[i % 3] <= NS_PER_S; i++)
    {
        guint64 tick_ns = scale * steps[i % 3];
        Outcome outcome = try_clock(times, count, tick_ns);

        if (i % 3 == 2)
            scale *= 10;
        if (!outcome.is_possible || outcome.n_bytes > FILE_BYTES_MAX)
            continue;
        if (outcome.n_inexact <= best_inexact)
        {
            best_inexact = outcome.n_inexact;
            best_tick_ns = tick_ns;
        }
        if (outcome.n_bytes <= FILE_BYTES_GOOD)
            break;
    }
    return best_tick_ns;
}

/* ---- The histograms -------------------------------------------------------------- */

/* Each bin covers one unit of gprof's. */
static FcGmonHist *add_hist(FcGmonOut *out, guint64 unit, guint64 n_bins)
{
    FcGmonHist hist = {.low = unit * FC_GMON_UNIT_BYTES,
                       .high = (unit + n_bins) * FC_GMON_UNIT_BYTES,
                       .n_bins = (guint32)n_bins,
                       .rate = out->rate,
                       .dimension = "seconds",
                       .abbreviation = 's',
                       .bins = g_new0(guint32, n_bins)};

    g_array_append_val(out->hists, hist);
    return &g_array_index(out->hists, FcGmonHist, out->hists->len - 1);
}

/* Puts spans [first, last] into as many records of one range as the first one needs. */
static void add_spans(FcGmonOut *out, const Span *spans, guint first, guint last)
{
    guint64 n_bins = spans[last].unit + spans[last].n_bins - spans[first].unit;

    for (guint64 layer = 0; layer < spans[first].layers; layer++)
    {
        FcGmonHist *hist = add_hist(out, spans[first].unit, n_bins);

        for (guint i = first; i <= last; i++)
        {
            guint32 *bins = hist->bins + (spans[i].unit - spans[first].unit);
            guint64 left = spans[i].ticks - layer * spans[i].n_bins * BIN_MAX;

            for (guint32 k = 0; k < spans[i].n_bins && left > 0; k++)
            {
                bins[k] = (guint32)MIN(left, BIN_MAX);
                left -= bins[k];
            }
        }
    }
}

/* The last span that goes into the same records as the first. */
static guint find_last(const Span *spans, guint first, guint count)
{
    guint last = first;

    while (last + 1 < count && spans[first].layers == 1 && spans[last + 1].layers == 1 &&
           spans[last + 1].unit - (spans[last].unit + spans[last].n_bins) <= MERGE_GAP_BINS)
        last++;
    return last;
}

gboolean fc_gmonout_has_layers(const FcGmonOut *out)
{
    for (guint i = 1; i < out->hists->len; i++)
    {
        /* Layers stand one behind the other. */
        if (g_array_index(out->hists, FcGmonHist, i).low ==
            g_array_index(out->hists, FcGmonHist, i - 1).low)
            return TRUE;
    }
    return FALSE;
}

void fc_gmonout_set_times(FcGmonOut *out, FcGmonTime *times, guint count)
{
    g_autofree Span *spans = g_new0(Span, (gsize)count + 1);
    guint64 tick_ns = choose_tick(times, count), left_bytes = FILE_BYTES_MAX;
    guint n = 0;

    out->rate = (guint32)(NS_PER_S / tick_ns);
    for (guint i = 0; i < count; i++)
    {
        times[i].shown_ns = 0;
        /* Only times that can't be true are too much for every clock. */
        if (!make_span(&times[i], tick_ns, &spans[n]) || count_bytes(&spans[n]) > left_bytes)
            continue;
        left_bytes -= count_bytes(&spans[n]);
        times[i].shown_ns = spans[n].ticks * tick_ns;
        if (spans[n].ticks > 0)
            n++;
    }
    for (guint first = 0, last; first < n; first = last + 1)
    {
        last = find_last(spans, first, n);
        add_spans(out, spans, first, last);
    }
    if (n == 0 && count > 0)
        add_hist(out, times[0].start / FC_GMON_UNIT_BYTES, 1); /* a flat profile needs one */
}

static void clear_hist(gpointer hist)
{
    g_free(((FcGmonHist *)hist)->bins);
}

FcGmonOut *fc_gmonout_new(void)
{
    FcGmonOut *out = g_new0(FcGmonOut, 1);

    out->rate = 1;
    out->hists = g_array_new(FALSE, TRUE, sizeof(FcGmonHist));
    g_array_set_clear_func(out->hists, clear_hist);
    out->arcs = g_array_new(FALSE, TRUE, sizeof(FcGmonArc));
    return out;
}

void fc_gmonout_free(FcGmonOut *out)
{
    if (!out)
        return;
    g_array_unref(out->hists);
    g_array_unref(out->arcs);
    g_free(out);
}

void fc_gmonout_add_arc(FcGmonOut *out, guint64 from, guint64 self, guint64 calls)
{
    FcGmonArc arc = {.from = from, .self = self, .calls = calls};

    g_array_append_val(out->arcs, arc);
}

/* An arc without calls is an arc as well. */
static guint64 count_records(guint64 calls)
{
    return calls == 0 ? 1 : calls / G_MAXUINT32 + (calls % G_MAXUINT32 != 0);
}

guint64 fc_gmonout_count_arc_records(const FcGmonOut *out)
{
    guint64 n = 0;

    for (guint i = 0; i < out->arcs->len; i++)
        n += count_records(g_array_index(out->arcs, FcGmonArc, i).calls);
    return n;
}

/* ---- Bytes -------------------------------------------------------------------- */

static void put_arc(const FcGmonWriter *writer, const FcGmonArc *arc)
{
    guint64 left = arc->calls;

    for (guint64 n = count_records(arc->calls); n > 0; n--)
    {
        guint32 calls = (guint32)MIN(left, G_MAXUINT32);

        fc_gmon_put_arc(writer, arc->from, arc->self, calls);
        left -= calls;
    }
}

gboolean fc_gmonout_write(const FcGmonOut *out, const FcGmonLayout *layout, FILE *file)
{
    FcGmonWriter writer = {file, *layout};

    fc_gmon_put_header(&writer);
    for (guint i = 0; i < out->hists->len && !ferror(file); i++)
        fc_gmon_put_hist(&writer, &g_array_index(out->hists, FcGmonHist, i));
    for (guint i = 0; i < out->arcs->len && !ferror(file); i++)
        put_arc(&writer, &g_array_index(out->arcs, FcGmonArc, i));
    return fflush(file) == 0 && !ferror(file);
}
