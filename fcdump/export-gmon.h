/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --gmon: a profile as gmon.out files, one for each module, for GNU gprof and what else
 * reads them.  Called by main alone; never prints.
 */
#pragma once

#include "model/model.h"

/* Writes the module that `images` (NULL-terminated; as fc_symbols_find_module takes them) names to
 * `path`.  Several modules go to PATH.MODULE each (PATH.MODULE.2 for another one of that base
 * name).  Without `images` it writes the main program.  Appends owned strings "FILE: text": to
 * `notes`, what a file could not hold; to `problems`, what went wrong. */
void fc_export_gmon(const FcModel *model, const char *path, const char *const *images,
                    GPtrArray *notes, GPtrArray *problems);

/* Whether `image` is a file to read, not just the name of a module. */
gboolean fc_export_gmon_is_file(const char *image);

/* Writes module `module` alone.  FALSE and `error`, whose message does not begin with `path`, if
 * nothing or not all of it was written. */
gboolean fc_export_gmon_module(const FcModel *model, gint module, const char *path,
                               GPtrArray *notes, GError **error);
