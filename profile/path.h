/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Helpers for file names, for the manager and the tools.
 */
#pragma once

#include <string.h>

/* Returns what follows the last slash of `path`, as a pointer into it.  The whole if it has no
 * slash, "" if it ends with one. */
static inline const char *fc_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
