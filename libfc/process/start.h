/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The start of profiling.
 */
#pragma once

#include <stdbool.h>

/* Starts profiling if that has not been tried yet.  True while it is on.  Called by
 * the constructor, or by the first record where that comes earlier. */
bool fc_start(void);
