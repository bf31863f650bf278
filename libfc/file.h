/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading small files whole: those of /proc, and the settings.
 */
#pragma once

#include <stddef.h>

/* Reads all of the file at `path`, or as much of it as goes into `room` bytes; no NUL is added.
 * Returns the number of bytes, 0 where it can't be read.  Async-signal-safe; keeps errno. */
size_t fc_file_read(const char *path, char *into, size_t room);
