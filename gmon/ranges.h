/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * gprof's way from a list of symbols to a table that says whose code each address is:
 * one symbol for each address, and each goes on up to the next.  fcgprof makes its model's
 * table with it, fcdump the one that it writes gmon.out files by.
 */
#pragma once

#include "gmon/image.h"

typedef struct
{
    guint64 addr;
    guint64 end_addr; /* last address that still belongs to it; 0: not known yet */
    const char *name;
    guint item; /* whatever the caller tells it by; equal ones keep this order */
    guint8 is_func;
    guint8 is_static;
} FcGRange;

/* Sorts by address, drops all but one symbol of an address and those whose range is empty, and
 * fixes where each ends; `last_addr` is the end of the code.  Returns how many are left, which
 * are at the start of `ranges` then. */
guint fc_granges_settle(FcGRange *ranges, guint n, guint64 last_addr);

/* The last one of `n` ascending addresses that is not above `addr`; -1 if all are. */
gint64 fc_granges_last_start(const guint64 *starts, guint n, guint64 addr);

/* A table of its own, of all symbols of an image; `item` is their place there. */
typedef struct
{
    FcGRange *items;
    guint64 *starts; /* the addresses alone */
    guint len;
} FcGRanges;

/* Names are those of the image, which must outlive it. */
FcGRanges *fc_granges_new(const FcGImage *image);
void fc_granges_free(FcGRanges *ranges);

/* The one that holds `addr`, or NULL. */
const FcGRange *fc_granges_find(const FcGRanges *ranges, guint64 addr);
