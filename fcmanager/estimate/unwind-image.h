/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file with code, as unwind.c needs it: .eh_frame_hdr and .eh_frame (System V psABI for x86-64),
 * copied.  Only the encodings that linkers write for .eh_frame_hdr are read; a file with others has
 * no tables.  Nothing in the file is trusted.
 *
 * Used by unwind.c alone, and by one thread at a time.
 */
#pragma once

#include <elf.h>
#include <glib.h>
#include <sys/stat.h>

/* A file with code.  Its tables are copied: a mapping of a file that gets shorter kills who reads
 * it. */
typedef struct
{
    guint references;
    char *path;
    struct stat identity; /* of the file when it was found */
    char *key;            /* the same as a text, in `files`; NULL: it can't be read */
    GHashTable *files;    /* that of the unwinders that use it; NULL: there is one only */
    Elf64_Phdr *parts;    /* owned */
    guint part_count;
    gboolean is_read;  /* what is below is known */
    guint8 *tables;    /* .eh_frame_hdr and .eh_frame; owned; NULL: there are none */
    guint64 address;   /* of the copy, as the file has it */
    gsize table_bytes; /* of the copy */
    guint64 header;    /* address of .eh_frame_hdr, as the file has it */
    guint64 table;     /* address of its table */
    guint32 count;     /* entries of the table; 0: there is none */
} FcUnwindImage;

/* Returns a reference.  `files`: those that are known, by key, to which it is added; NULL: none.
 * Its tables are not read yet. */
FcUnwindImage *fc_unwind_image_open(const char *path, GHashTable *files);
/* A GDestroyNotify. */
void fc_unwind_image_unref(gpointer image);

/* Reads the tables unless they were read, or the file is not the same any more.  If the process has
 * ended, its file is looked for where the manager sees it.  Returns the image. */
const FcUnwindImage *fc_unwind_image_read(FcUnwindImage *image);

/* Returns `bytes` bytes of the tables that are at `address` when the file is loaded; NULL: they do
 * not have them.  The second copies them, FALSE likewise. */
const guint8 *fc_unwind_image_at(const FcUnwindImage *image, guint64 address, gsize bytes);
gboolean fc_unwind_image_get(const FcUnwindImage *image, guint64 address, gpointer value,
                             gsize bytes);
