/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --gmon: a profile as gmon.out files, one for each module, for GNU gprof and what else
 * reads them.  Called by main alone; never prints.
 */
#pragma once

#include "model/model.h"

/* Writes `path` for the module that `images` (NULL-terminated; as fc_symbols_find_module
 * takes them) names, or PATH.MODULE for each where they name several
 * (PATH.MODULE.2 for another one of that base name); for the main program
 * where they name none.  What a file could not be told goes to `notes`, what went wrong to
 * `problems`, in owned strings "FILE: text". */
void fc_export_gmon(const FcModel *model, const char *path, const char *const *images,
                    GPtrArray *notes, GPtrArray *problems);

/* Whether `image` is a file to read, not just the name of a module. */
gboolean fc_export_gmon_is_file(const char *image);

/* The same for module `module` alone, which is what fc_export_gmon is made of.  FALSE and `error`,
 * whose message does not begin with `path`, where nothing was written or not all of it. */
gboolean fc_export_gmon_module(const FcModel *model, gint module, const char *path,
                               GPtrArray *notes, GError **error);
