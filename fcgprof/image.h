/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The executable (or any other ELF object) that a profile belongs to: its symbol
 * table in file order, its code and its byte order.  image*.c and lines*.c are the
 * only files of fcgprof that include libelf's and libdw's headers.
 */
#pragma once

#include "fcgprof/model.h"

/* One entry of .symtab, as the linker sees it. */
typedef struct
{
    const char *name; /* inside the string table */
    guint64 addr;
    guint64 size;
    guint8 type;       /* STT_* */
    guint8 binding;    /* STB_* */
    guint8 visibility; /* STV_* */
    guint8 in_text;    /* belongs to .text */
    guint8 class;      /* 'T' global code, 't' local code, 0 neither */
} FcGImageSym;

/* Opens `path`.  NULL and `error` if it is no ELF object or has no .text. */
FcGImage *fc_gimage_open(const char *path, GError **error);
void fc_gimage_free(FcGImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcGImage, fc_gimage_free)

const char *fc_gimage_path(const FcGImage *image);
gboolean fc_gimage_is_big_endian(const FcGImage *image);
guint fc_gimage_addr_bytes(const FcGImage *image); /* 4 or 8 */
gboolean fc_gimage_is_x86(const FcGImage *image);  /* i386 or x86-64 */
void *fc_gimage_elf(const FcGImage *image);        /* Elf* */
guint fc_gimage_text_index(const FcGImage *image); /* of .text among the sections */
guint64 fc_gimage_text_start(const FcGImage *image);
guint64 fc_gimage_text_end(const FcGImage *image); /* one past the last byte */

/* The bytes of .text, fc_gimage_text_end - start of them; NULL if it holds none. */
const guint8 *fc_gimage_text(const FcGImage *image);

const FcGImageSym *fc_gimage_symbols(const FcGImage *image, guint *n);

/* Makes the model's symbol table: the functions, and under -l also the source
 * lines; or what the file of -S lists.  False and `error` if there is none. */
gboolean fc_gimage_load_symbols(FcGImage *image, FcGModel *model, GError **error);

/* The functions alone, without files and lines, whatever the options say: which code
 * gprof takes for whose.  False and `error` if there is none. */
gboolean fc_gimage_load_functions(FcGImage *image, FcGModel *model, GError **error);
