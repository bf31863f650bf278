/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the names of files to a model: profiles and descriptors are read and summed, functions
 * named, the call graph made.  Called by the mains of the tools, once.  Never prints.
 */
#pragma once

#include "model/model.h"

/* Reads `operands` (.fc, .fcd or ELF images, told apart by content), both lists
 * NULL-terminated; functioncheck.fc or .fcd where no profile is among them.  What could not be read
 * is appended to `problems` (owned strings, "FILE: reason") and the rest goes on; NULL where no
 * profile was left.  `raw`: with the times as they were measured, the hooks' own in them.
 * `progress`, which may be NULL, is told of each file.  The caller owns the result. */
FcModel *fc_model_load(const char *const *operands, const char *const *images, FcDemangle demangle,
                       gboolean raw, const FcProgress *progress, GPtrArray *problems);
