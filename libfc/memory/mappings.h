/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for mmap, munmap and mremap.
 */
#pragma once

#include <stdbool.h>

/* As fc_interpose_start, for mappings.  Called by interpose.c. */
void fc_mappings_start(bool memory);
