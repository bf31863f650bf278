/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What gmon.out files and gprof need to know of an image (a program, a library): how numbers lie in
 * it, where its code is, the symbols that gprof would show, and whose code each address is: one
 * symbol for each address, and each goes on up to the next.  fcdump fills it with libelf (image.c),
 * fcgprof with libbfd as gprof itself does (fcgprof/object.c); a test holds both against each
 * other.
 */
#pragma once

#include "gmon/gmon.h"

/* Less than 0, 0 or more, as those who sort want it. */
#define FC_GCOMPARE(left, right) (((left) > (right)) - ((left) < (right)))

/* A symbol, and the code that is its own. */
typedef struct
{
    guint64 addr;
    guint64 end_addr; /* last address that still belongs to it; 0: not known yet */
    const char *name;
    guint item;       /* whatever the caller tells it by; equal ones keep this order */
    guint8 is_func;   /* it is said to be one; else a label */
    guint8 is_static; /* local to its source file */
} FcGRange;

typedef struct
{
    FcGmonLayout layout;
    guint64 text_start; /* of .text */
    guint64 text_end;   /* one past the last byte */
    GArray *syms;       /* FcGRange, in the order of the file; `item` is not used */
    char *names;        /* what the symbols' names are in; NULL if that is somebody else's */
} FcGImage;

/* Reads the ELF file `path`.  NULL and `error` if it is none, has no .text or no symbols. */
FcGImage *fc_gimage_read(const char *path, GError **error);
void fc_gimage_free(FcGImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGImage, fc_gimage_free)

/* The string behind the one that ends at `end` in the table of strings; NULL if there is none. */
typedef const char *(*FcGNextString)(const char *end, gconstpointer data);

/* Whether gprof shows a local symbol of that name.  `next` is asked where gprof looks on. */
gboolean fc_gimage_shows_local(const char *name, FcGNextString next, gconstpointer data);

/* Sorts by address, drops all but one symbol of an address and those whose range is empty, and
 * fixes where each ends; `last_addr` is the end of the code.  Returns how many are left, which
 * are at the start of `ranges` then. */
guint fc_granges_normalize(FcGRange *ranges, guint n, guint64 last_addr);

/* A table of its own, of all symbols of an image: FcGRange, of which `item` is their place there.
 * Names are those of the image, which must outlive it. */
GArray *fc_granges_new(const FcGImage *image);

/* The one of the table that holds `addr`, or NULL. */
const FcGRange *fc_granges_find(const GArray *ranges, guint64 addr);
