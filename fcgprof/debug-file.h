/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where an image's debugging information is: in the image, or in the separate file
 * that its build-id or debug link names.  Used by lines.c and its parts.
 */
#pragma once

#include "fcgprof/image.h"

#include <elfutils/libdw.h>
#include <gelf.h>

typedef struct FcGDebugFile FcGDebugFile;

/* Never fails; without any information fc_gdebug_file_dwarf() is NULL. */
FcGDebugFile *fc_gdebug_file_open(FcGImage *image);
void fc_gdebug_file_free(FcGDebugFile *file);

Dwarf *fc_gdebug_file_dwarf(FcGDebugFile *file);

/* The file itself, whose symbols name what DWARF does not: gprof's library takes them from
 * where it found DWARF.  NULL if it is not in the form of an image. */
const FcGImage *fc_gdebug_file_symbols(const FcGDebugFile *file);

/* A section's bytes, decompressed; NULL and 0 if there is none. */
const guint8 *fc_gdebug_file_section(FcGDebugFile *file, const char *name, gsize *n_bytes);
const guint8 *fc_gdebug_section(Elf *elf, const char *name, gsize *n_bytes);

/* Whether a section called `name` is the one `wanted`, such as ".debug_line", compressed in
 * the GNU way or not. */
gboolean fc_gdebug_section_is(const char *name, const char *wanted);

/* Decompresses a section in place, in memory only, of either way of compressing.  One that
 * is not compressed, or not soundly, stays as it is. */
void fc_gdebug_uncompress(Elf_Scn *section, const GElf_Shdr *header, const char *name);

/* The addresses that relocations take sections to be at, by section: those that the file
 * states or, if `is_packed` and it is an object file, in which all are 0, one behind the
 * other.  To be freed with g_free(). */
guint64 *fc_gdebug_places(Elf *elf, gboolean is_packed);

/* Relocates the sections of an object file whose names begin with `prefix`, compressed or not,
 * in place, in memory only, to be done once; other kinds of file stay as they are.  `elf` must
 * have been opened for private writing. */
void fc_gdebug_relocate(Elf *elf, const char *prefix, const guint64 *places);

/* What is to be added to an address of the image in .text, to ask the debugging information
 * for it. */
guint64 fc_gdebug_file_text_shift(const FcGDebugFile *file);

/* The text of an attribute; NULL if it is no string (`*is_string` false) and, as gprof's
 * library has it, if it is empty, unless it is named by index. */
const char *fc_gdebug_string(Dwarf_Attribute *attribute, gboolean *is_string);
