/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where an image's debugging information is: in the image, or in the separate file
 * that its build-id or debug link names.  Used by lines.c only.
 */
#pragma once

#include "fcdump/gprof/image.h"

#include <elfutils/libdw.h>

typedef struct FcGDebugFile FcGDebugFile;

/* Never fails; without any information fc_gdebug_file_dwarf() is NULL. */
FcGDebugFile *fc_gdebug_file_open(FcGImage *image);
void fc_gdebug_file_free(FcGDebugFile *file);

Dwarf *fc_gdebug_file_dwarf(FcGDebugFile *file);

/* A section's bytes, decompressed; NULL and 0 if there is none. */
const guint8 *fc_gdebug_file_section(FcGDebugFile *file, const char *name, gsize *n_bytes);

/* Relocates the debugging sections of an object file in place, in memory only; other
 * kinds of file stay as they are.  `elf` must have been opened for private writing. */
void fc_gdebug_relocate(Elf *elf);
