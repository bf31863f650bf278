/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading small files whole (those of /proc, and the settings), and writing to a descriptor.
 * Async-signal-safe; errno is kept.
 */
#pragma once

#include <stddef.h>

/* Reads all of the file at `path`, or as much of it as goes into `room` bytes; no NUL is added.
 * Returns the number of bytes, 0 where it can't be read. */
size_t fc_file_read(const char *path, char *into, size_t room);
/* The same, where `path` is relative to `folder`, a descriptor. */
size_t fc_file_read_at(int folder, const char *path, char *into, size_t room);
/* The same of an open file, which is closed. */
size_t fc_file_read_fd(int fd, char *into, size_t room);

/* Writes all of it; SIGPIPE is not raised.  0, or -errno of the write that failed
 * (-EAGAIN on a full non-blocking descriptor, only before the first byte). */
long fc_file_write(int fd, const void *data, size_t bytes);
