/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What helps whoever asked for a profile that is not there: what was looked for, whether the
 * program can leave one, and which profiles lie near.  Called by main where nothing was loaded;
 * never prints.
 */
#pragma once

#include <glib.h>

/* Appends sentences to `advice` (owned strings) for the operands (NULL-terminated) of which none
 * was a profile that could be read. */
void fc_nearby_advise(const char *const *operands, GPtrArray *advice);
