/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What gmon.out files and gprof need to know of an image (a program, a library): how numbers
 * lie in it, where its code is, and the symbols that gprof would show.  fcdump fills it with
 * libelf (image.c), fcgprof with libbfd as gprof itself does (fcgprof/object.c); a
 * test holds both against each other.
 */
#pragma once

#include "gmon/gmon.h"

typedef struct
{
    const char *name;
    guint64 addr;
    guint8 is_func;   /* it is said to be one; else a label */
    guint8 is_static; /* local to its source file */
} FcGImageSym;

typedef struct
{
    FcGmonLayout layout;
    guint64 text_start; /* of .text */
    guint64 text_end;   /* one past the last byte */
    GArray *syms;       /* FcGImageSym, in the order of the file */
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
