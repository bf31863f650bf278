/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the allocator.
 */
#pragma once

#include <stdbool.h>

/* Whether the program's calls of the allocator reach libfc, as far as is known.  If another
 * allocator comes first, memory can't be profiled. */
bool fc_interpose_is_first(void);

/* Called once, when profiling has started or has failed to.  From here on the allocator's
 * functions are recorded, or passed straight on if `memory` is false. */
void fc_interpose_start(bool memory);
