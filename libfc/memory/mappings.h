/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for mmap, munmap and mremap.
 */
#pragma once

#include <stdbool.h>

/* Does for mappings what fc_interpose_start does.  Called by interpose.c. */
void fc_mappings_start(bool memory);
