/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the parts of a gmon.out file into a stream.  See gmon.h.
 */
#include "gmon/gmon.h"

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
