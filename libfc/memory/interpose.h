/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the allocator.
 */
#pragma once

#include <stdbool.h>

/* Whether the program's calls of the allocator reach libfc, as far as libfc can find out.  If
 * another allocator comes first, memory can't be profiled. */
bool fc_interpose_is_first(void);

/* Called once, when profiling has started or has failed to start.  From here on calls of the
 * allocator are recorded, or jump to the real functions if `memory` is false. */
void fc_interpose_start(bool memory);
