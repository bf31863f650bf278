/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reader of gmon.out files: GNU's tagged format, the old BSD layout and 4.4BSD's.  It hands
 * out what it finds, record by record, and knows nothing of what becomes of it.  Takes untrusted
 * bytes; also the target of a fuzzer.
 */
#pragma once

#include "gmon/gmon.h"

typedef enum
{
    FC_GMON_FORMAT_AUTO,
    FC_GMON_FORMAT_MAGIC,
    FC_GMON_FORMAT_BSD,
    FC_GMON_FORMAT_BSD44,
    FC_GMON_FORMAT_PROF,
} FcGmonFormat;

enum
{
    FC_GMON_STREAM_BYTES_MAX = 1 << 28 /* of what has no size; profiles have some megabytes */
};

/* Where the samples of a histogram are to be added. */
typedef struct
{
    guint32 *bins;
    guint32 n;
} FcGmonBins;

/* Called for each record, in the order of the file, with the `data` that came with them. */
typedef struct
{
    /* A histogram; in the old layouts `is_old`, without a dimension.  FALSE with `error` set if it
     * does not go with earlier ones. */
    gboolean (*hist)(const FcGmonHist *hist, gboolean is_old, FcGmonBins *bins, gpointer data,
                     GError **error);
    void (*arc)(guint64 from, guint64 self, guint64 count, gpointer data);
    void (*block)(guint64 addr, guint64 count, gpointer data);
} FcGmonVisitor;

/* Records found. */
typedef struct
{
    gboolean is_old; /* no tags: histogram and arcs are there, possibly empty */
    guint version;   /* else */
    guint n_hists;
    guint n_arcs;
    guint n_blocks;
} FcGmonContents;

/* False and `error` if the bytes are no profile, or end early; what was visited so far is of no use
 * then. */
gboolean fc_gmon_parse(const guint8 *bytes, gsize n_bytes, const FcGmonLayout *layout,
                       FcGmonFormat format, const FcGmonVisitor *visitor, gpointer data,
                       FcGmonContents *contents, GError **error);

/* The bytes of a file ("-" is standard input).  NULL and `error` if it can't be read; or if it
 * comes without an end or a size, and is no profile or larger than any. */
GBytes *fc_gmon_load(const char *path, const FcGmonLayout *layout, FcGmonFormat format,
                     GError **error);
