/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads small files as a whole (those of /proc, and the settings), and writes to a descriptor.
 * Async-signal-safe; keeps errno.
 */
#pragma once

#include <stddef.h>

/* Reads the file at `path`, `room` bytes at most; adds no NUL.  Returns the number of bytes; 0:
 * it can't be read. */
size_t fc_file_read(const char *path, char *into, size_t room);
/* The same; `path` is relative to `folder`, a descriptor. */
size_t fc_file_read_at(int folder, const char *path, char *into, size_t room);
/* The same for an open file, which is then closed. */
size_t fc_file_read_fd(int fd, char *into, size_t room);

/* Writes all of it, without raising SIGPIPE.  Returns 0, or the -errno of the write that failed;
 * -EAGAIN, for a full non-blocking descriptor, only before the first byte. */
long fc_file_write(int fd, const void *data, size_t bytes);
