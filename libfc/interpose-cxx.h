/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libfc's stand-ins for the operators new and delete.
 */
#pragma once

#include <stdbool.h>

/* As fc_interpose_start, for the operators; interpose.c calls it. */
void fc_interpose_cxx_start(bool memory);
