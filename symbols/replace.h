/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of --image, and which module of a profile each stands for.  Called by symbols.c, which
 * opens them; looks at names and build-ids only.
 */
#pragma once

#include "profile/fc-profile.h"
#include "symbols/image.h"

/* A file of --image. */
typedef struct
{
    char *recorded; /* path or base name of the module it stands for; NULL: not said */
    char *path;
    FcImage *image; /* the images' table owns it; NULL: not opened, or can't be used */
} FcReplacement;

/* "PATH" or "RECORDED=PATH"; to be cleared with fc_replacement_clear, which takes a gpointer for
 * the sake of GArray. */
FcReplacement fc_replacement_parse(const char *text);
void fc_replacement_clear(gpointer replacement);

/* Whether, by name alone, it is said to stand for the module with that path. */
gboolean fc_replacement_is_meant(const FcReplacement *replacement, const char *path);

/* Whether it is that, or has the module's build-id. */
gboolean fc_replacement_fits(const FcReplacement *replacement, const FcProfileModule *module);

/* The module of which it has the build-id; FC_NONE where it has none's, or stands for one
 * that was named. */
gint fc_replacement_find_build(const FcReplacement *replacement, const FcProfile *profile);

/* The module that fits best: by build-id, by path, by name; FC_NONE where none does. */
gint fc_replacement_find_module(const FcReplacement *replacement, const FcProfile *profile);
