/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the allocator.
 */
#pragma once

#include <stdbool.h>

/* Whether the program's calls of the allocator come to libfc, as far as is known: memory can't be
 * profiled where another one stands before it. */
bool fc_interpose_is_first(void);

/* Once, when profiling has started or could not be: from here on the allocator's functions are
 * recorded, or (`memory` false) passed straight on. */
void fc_interpose_start(bool memory);
