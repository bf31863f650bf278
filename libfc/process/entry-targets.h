/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a counted call leads (fc-entries.h), by its instruction.  Called by entries.c.  Reads code
 * and the linker's tables only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The code of a module.  Nothing outside of it is read; a weak function that nobody defines may
 * be at address 0. */
struct FcCodeRange
{
    uint64_t start, end;
};

/* Returns the address of the function that the call leads to; 0: not known.  The call's counting
 * instruction is at `code`, and the call ends `bytes` behind it.  *is_through_slot is set if the
 * loader wrote the address, perhaps just now, as it binds many functions at their first call. */
uint64_t fc_entry_target(uint64_t code, uint32_t bytes, const struct FcCodeRange *text,
                         bool *is_through_slot);
