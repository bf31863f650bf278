/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What everyone knows who reads or writes a gmon.out file: how numbers lie in it, and how
 * the kinds of record are told apart.
 */
#pragma once

#include <glib.h>

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

/* What a histogram record says in front of its samples. */
typedef struct
{
    guint64 low;
    guint64 high;
    guint32 n_bins;
    guint32 rate;      /* samples a second, or whatever its dimension is */
    gboolean has_rate; /* of the old layouts only 4.4BSD's has */
    char dimension[FC_GMON_DIMENSION_BYTES + 1]; /* what is sampled: "seconds" */
    char abbreviation;
} FcGmonHist;

#define FC_GMON_ERROR (fc_gmon_error_quark())
GQuark fc_gmon_error_quark(void);
typedef enum
{
    FC_GMON_ERROR_IMAGE,
    FC_GMON_ERROR_PROFILE,
    FC_GMON_ERROR_OUTPUT,
} FcGmonError;
