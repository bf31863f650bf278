/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel's name for the file that is mapped at an address, and where a mapping begins and ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the name of the file whose mapping begins at `start` to `into`, at most `room` bytes
 * and no NUL.  Returns its length; 0: there is none, or it can't be read.  Signals blocked, one
 * thread at a time. */
size_t fc_maps_name(uint64_t start, char *into, size_t room);

/* Sets the range of the mapping that contains `address`, and uses `scratch` for that.  False: there
 * is none, or it can't be read.  Signals blocked. */
bool fc_maps_range(uint64_t address, char *scratch, size_t room, uint64_t *start, uint64_t *end);
