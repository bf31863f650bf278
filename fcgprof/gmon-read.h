/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reader of gmon.out files: GNU's tagged format, the old BSD layout and 4.4BSD's.
 * Takes untrusted bytes; also the target of a fuzzer.
 */
#pragma once

#include "fcgprof/model.h"

/* How numbers lie in the file: as in the image that wrote it. */
typedef struct
{
    gboolean is_big_endian;
    guint addr_bytes; /* 4 or 8 */
} FcGmonLayout;

/* Records found, for -i. */
typedef struct
{
    guint n_hists;
    guint n_arcs;
    guint n_blocks;
} FcGmonCounts;

/* Adds everything in `bytes` to the model.  False and `error` if they are no profile,
 * end early, or do not go with what the model holds; it is of no use then. */
gboolean fc_gmon_parse(FcGModel *model, const guint8 *bytes, gsize n_bytes,
                       const FcGmonLayout *layout, FcGmonCounts *counts, GError **error);

/* Reads the file ("-" is standard input) and prints the text of -i if asked for.  The
 * error's message does not begin with the file's name. */
gboolean fc_gmon_read(FcGModel *model, const char *path, const FcGmonLayout *layout,
                      GError **error);

/* -s: writes the sum of all that was read. */
gboolean fc_gmon_write(FcGModel *model, const char *path, const FcGmonLayout *layout,
                       GError **error);

enum
{
    FC_GMON_HEADER_BYTES = 20, /* magic, version, 12 spare */
    FC_GMON_VERSION = 1,
    FC_GMON_BSD44_MAGIC = 0x00051879,
    FC_GMON_BSD44_EXTRA_BYTES = 20, /* magic, rate, 12 spare behind the old header */
    FC_GMON_TAG_HIST = 0,
    FC_GMON_TAG_ARC = 1,
    FC_GMON_TAG_BLOCKS = 2,
};
