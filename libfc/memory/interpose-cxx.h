/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's interposers for the operators new and delete.
 */
#pragma once

#include <stdbool.h>

/* Finds the real operators, if they are loaded.  Called once, at start, before memory is
 * profiled. */
void fc_interpose_cxx_find(void);

/* Does for the operators what fc_interpose_start does.  Called by interpose.c. */
void fc_interpose_cxx_start(bool memory);
