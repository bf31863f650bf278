/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where calls into other modules go: pointers that the dynamic linker fills in, and the code
 * of sections other than .text.  For -c on profiles.
 */
#pragma once

#include "fcgprof/code-calls.h"
#include "fcgprof/image.h"

/* FC_GCODE_NONE for machines whose calls are not known. */
FcGCode fc_gimage_code_kind(const FcGImage *image);

/* Address of each pointer (guint64 *, owned) -> name of the function that it is for (inside
 * the image).  The caller unrefs it. */
GHashTable *fc_gimage_slots(const FcGImage *image);

/* The code at `addr` up to the end of its section, inside the image; NULL if there is none. */
const guint8 *fc_gimage_code_at(const FcGImage *image, guint64 addr, gsize *n);
