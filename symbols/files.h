/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the file with the names of a module of a profile.  Called by symbols.c.  Must never give
 * names from a file that is not the one that ran.  One thread at a time.
 */
#pragma once

#include "profile/fc-profile.h"
#include "symbols/image.h"

typedef struct
{
    GArray *replacements;      /* FcReplacement, in the order given */
    gboolean is_opened;        /* the replacements are */
    GHashTable *images;        /* path -> FcImage, or NULL where it can't be used */
    GHashTable *modules;       /* path, line feed, build-id -> FcImage of `images`, or NULL */
    GPtrArray *warnings;       /* char: what the user must know, each once */
    GHashTable *warnings_seen; /* the same strings */
    char *debug_folders;
} FcFiles;

/* `image_paths` (may be NULL, NULL-terminated, copied): as those of fc_symbols_new.  The caller
 * clears it with fc_files_clear. */
void fc_files_init(FcFiles *files, const char *const *image_paths);
void fc_files_clear(FcFiles *files);

/* As fc_symbols_set_debug_folders, fc_symbols_check_images and fc_symbols_find_module. */
void fc_files_set_debug_folders(FcFiles *files, const char *folders);
void fc_files_check_replacements(FcFiles *files, const FcProfile *profile);
gint fc_files_find_module(FcFiles *files, const FcProfile *profile, const char *image_path);

/* The file of the module, which is searched for once.  NULL: there is none; a warning says so if
 * the user can do something about it.  Belongs to `files`. */
FcImage *fc_files_find(FcFiles *files, const FcProfile *profile, const FcProfileModule *module);

/* Paths as the dynamic linker gives them may be relative to where the program started.  The caller
 * frees it. */
char *fc_files_resolve(const FcProfile *profile, const char *path);
