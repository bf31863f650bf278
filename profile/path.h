/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the manager and the tools ask of the names of files.
 */
#pragma once

#include <string.h>

/* What follows the last slash of `path`: a part of it, not a copy; the whole where it has none, ""
 * where it ends with one. */
static inline const char *fc_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
