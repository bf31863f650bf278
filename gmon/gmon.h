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
