/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What joins the two halves of tests/race.
 */
#pragma once

#include <stddef.h>

/* Starts the manager in a thread: `pipe_fd` and `reply_fd` are as for fcmanager, `memory` is the
 * `bytes` of shared chunks or NULL.  Defined in the program, called by its libfc. */
__attribute__((visibility("default"))) void race_start_manager(int pipe_fd, int reply_fd,
                                                               void *memory, size_t bytes);

/* The loader's functions, by way of libfc.  Defined in libfc. */
__attribute__((visibility("default"))) void *race_dlopen(const char *library);
__attribute__((visibility("default"))) void race_dlclose(void *handle);

/* The work of changes.c, for so long. */
void race_change(const char *library, long ms);
