/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Variables of the environment.  Called by main.
 */
#pragma once

#include <glib.h>

/* Adds to `notes` (char *, which it owns) a line for each variable that begins with FC_ and whose
 * name is nearly one of ours: such a variable does nothing. */
void fc_variables_find_misspelt(GPtrArray *notes);
