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

enum
{
    FC_GMON_UNIT_BYTES = 2,    /* gprof counts code in units of two bytes */
    FC_GMON_HEADER_BYTES = 20, /* magic, version, 12 spare */
    FC_GMON_VERSION = 1,
    FC_GMON_BSD44_MAGIC = 0x00051879,
    FC_GMON_BSD44_EXTRA_BYTES = 20, /* magic, rate, 12 spare behind the old header */
    FC_GMON_TAG_HIST = 0,
    FC_GMON_TAG_ARC = 1,
    FC_GMON_TAG_BLOCKS = 2,
};

#define FC_GMON_ERROR (fc_gmon_error_quark())
GQuark fc_gmon_error_quark(void);
typedef enum
{
    FC_GMON_ERROR_IMAGE,
    FC_GMON_ERROR_PROFILE,
    FC_GMON_ERROR_OUTPUT,
} FcGmonError;
