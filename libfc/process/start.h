/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Starts profiling.
 */
#pragma once

#include <stdbool.h>

/* Starts profiling if that was not tried before.  Returns whether it is on.  Called by the
 * constructor, or by the first record if that comes earlier. */
bool fc_start(void);
