/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel calls the file that is mapped somewhere, for modules.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The name of the file whose mapping begins at `start`, no NUL; its bytes, at most `room`.  0 where
 * there is none, or it can't be read.  Signals blocked, one thread at a time. */
size_t fc_maps_name(uint64_t start, char *into, size_t room);
