/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the parts of a gmon.out file into a stream, whose error state tells of failures.
 */
#pragma once

#include "gmon/gmon.h"

#include <stdio.h>

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

/* A histogram record but for its bins, 2 bytes each, which must follow. */
void fc_gmon_put_hist(const FcGmonWriter *writer, const FcGmonHist *hist);

void fc_gmon_put_arc(const FcGmonWriter *writer, guint64 from, guint64 self, guint32 count);
