/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the operators new and delete.
 */
#pragma once

#include <stdbool.h>

/* Looks for the real ones, where they are loaded.  Once, at start, before memory is profiled. */
void fc_interpose_cxx_find(void);

/* As fc_interpose_start, for the operators; interpose.c calls it. */
void fc_interpose_cxx_start(bool memory);
