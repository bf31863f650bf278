/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The session's shared memory, which holds the pool of chunks: making it and mapping it.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes it and maps it at `mapping`, with `chunks` chunks.  Returns its descriptor, or -1 where it
 * can't be had. */
int fc_shared_make(struct FcShared **mapping, uint32_t *chunks);

/* Maps that behind `fd`, which somebody else has made, and tells the number of its chunks.  NULL
 * where that fails, or where it is not what fc_shared_make makes. */
struct FcShared *fc_shared_map(int fd, uint32_t *chunks);

/* Undoes the mapping. */
void fc_shared_unmap(struct FcShared *mapping, uint32_t chunks);
