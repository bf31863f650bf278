/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's stand-ins for the allocator, the operators new and delete, and mmap.
 */
#pragma once

#include <stdbool.h>

/* Once, when profiling has started or could not be: from here on the allocator's functions are
 * recorded, or (`memory` false) passed straight on. */
void fc_interpose_start(bool memory);

/* The same for the operators; interpose.c calls it. */
void fc_interpose_cxx_start(bool memory);
