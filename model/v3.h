/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plain version 3.0 profiles say neither which program ran nor which function a
 * call came from.  This finds out, from the images that the user names.  Called by
 * load.c for every such profile before it is summed; never prints.
 */
#pragma once

#include "profile/fc-profile.h"

/* Whether the file at `path` begins as an ELF file does. */
gboolean fc_v3_is_elf(const char *path);

/* Where an image of `images` (NULL-terminated) is linked to fixed addresses, adds it as
 * a module and moves the places that lie in it there; then fills in the callers
 * of arcs, by the symbols that cover their call sites. */
void fc_v3_complete(FcProfile *profile, const char *const *images);
