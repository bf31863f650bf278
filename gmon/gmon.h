/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gmon.out files: how numbers lie in them and how the kinds of record are told apart; the reader,
 * which hands out what it finds, record by record, and knows nothing of what becomes of it, and
 * what puts the parts of a file into a stream, whose error state tells of failures.  The reader
 * takes untrusted bytes; it is also the target of a fuzzer.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

/* How numbers lie in the file: as in the image that wrote it. */
typedef struct
{
    gboolean is_big_endian;
    guint addr_bytes; /* 4 or 8 */
} FcGmonLayout;

#define FC_GMON_MAGIC "gmon"

enum
{
    FC_GMON_UNIT_BYTES = 2,    /* gprof counts code in units of two bytes */
    FC_GMON_SPARE_BYTES = 12,  /* of headers */
    FC_GMON_HEADER_BYTES = 20, /* magic, version, spare */
    FC_GMON_VERSION = 1,
    FC_GMON_BSD44_MAGIC = 0x00051879,
    FC_GMON_BSD44_EXTRA_BYTES = 20, /* magic, rate, spare behind the old header */
    FC_GMON_DIMENSION_BYTES = 15,
    FC_GMON_TAG_HIST = 0,
    FC_GMON_TAG_ARC = 1,
    FC_GMON_TAG_BLOCKS = 2,
};

/* A histogram record. */
typedef struct
{
    guint64 low;
    guint64 high;
    guint32 n_bins;
    guint32 rate;      /* samples a second, or whatever its dimension is */
    gboolean has_rate; /* of the old layouts only 4.4BSD's has */
    char dimension[FC_GMON_DIMENSION_BYTES + 1]; /* what is sampled: "seconds" */
    char abbreviation;
    guint32 *bins; /* the samples: of 16 bits each in a file */
} FcGmonHist;

#define FC_GMON_ERROR (fc_gmon_error_quark())
GQuark fc_gmon_error_quark(void);
typedef enum
{
    FC_GMON_ERROR_IMAGE,
    FC_GMON_ERROR_PROFILE,
    FC_GMON_ERROR_OUTPUT,
} FcGmonError;

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

typedef struct
{
    FILE *file;
    FcGmonLayout layout;
} FcGmonWriter;

void fc_gmon_put_uint(const FcGmonWriter *writer, guint64 value, guint n_bytes);
void fc_gmon_put_addr(const FcGmonWriter *writer, guint64 value);

/* The spare bytes of a header, all zero. */
void fc_gmon_put_spare(const FcGmonWriter *writer);

/* The header of a tagged file. */
void fc_gmon_put_header(const FcGmonWriter *writer);

/* A histogram record, and its bins alone. */
void fc_gmon_put_bins(const FcGmonWriter *writer, const FcGmonHist *hist);
void fc_gmon_put_hist(const FcGmonWriter *writer, const FcGmonHist *hist);

void fc_gmon_put_arc(const FcGmonWriter *writer, guint64 from, guint64 self, guint32 count);

/* ---- An export ------------------------------------------------------------------------
 *
 * Own times become histograms, calls become arc records, and all of it the bytes that GNU gprof
 * reads.  fcdump/export-gmon-module.c fills it; it knows addresses and figures only, neither
 * profiles nor symbols.  Addresses are those that the image was linked to. */

/* Own time of a function as gprof sees it: its code is [start, end). */
typedef struct
{
    guint64 start;
    guint64 end; /* where the next symbol begins */
    guint64 local_ns;
    guint64 shown_ns; /* filled in: what the file says */
} FcGmonTime;

typedef struct
{
    guint64 from; /* an address inside the call instruction */
    guint64 self; /* the callee's entry */
    guint64 calls;
} FcGmonArc;

typedef struct
{
    guint32 rate;  /* ticks a second */
    GArray *hists; /* FcGmonHist; equal ranges add up */
    GArray *arcs;  /* FcGmonArc */
} FcGmonOut;

/* Empty; the caller frees it with fc_gmonout_free. */
FcGmonOut *fc_gmonout_new(void);
void fc_gmonout_free(FcGmonOut *out);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGmonOut, fc_gmonout_free)

/* Chooses the clock and makes the histograms, so that gprof gives each function its own
 * time and nobody another's.  `times` is ordered by start, no two overlap.  To be called
 * once. */
void fc_gmonout_set_times(FcGmonOut *out, FcGmonTime *times, guint count);

/* Whether what the file says of the function is farther off than one part in 200. */
gboolean fc_gmonout_is_inexact(const FcGmonTime *time);

/* Whether several records have one range, as a bin can't hold all.  gprof adds them up as it
 * reads, but what it sums has 16 bits again in the file that it writes. */
gboolean fc_gmonout_has_layers(const FcGmonOut *out);

void fc_gmonout_add_arc(FcGmonOut *out, guint64 from, guint64 self, guint64 calls);

/* How many arc records the file needs: each has 32 bits for its calls. */
guint64 fc_gmonout_count_arc_records(const FcGmonOut *out);

/* Writes it all to the start of `file`.  FALSE, with errno set, where that fails. */
gboolean fc_gmonout_write(const FcGmonOut *out, const FcGmonLayout *layout, FILE *file);
