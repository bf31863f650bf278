/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes and maps the session's shared memory, which holds the pool of chunks.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the memory and maps it.  Sets *mapping, and *chunks to the number of its chunks.
 * Returns its descriptor; -1: it can't be had. */
int fc_shared_make(struct FcShared **mapping, uint32_t *chunks);

/* Maps the memory behind `fd`, which another process has made, and sets *chunks.  NULL: that
 * failed, or it is not what fc_shared_make makes. */
struct FcShared *fc_shared_map(int fd, uint32_t *chunks);

/* Undoes the mapping. */
void fc_shared_unmap(struct FcShared *mapping, uint32_t chunks);
