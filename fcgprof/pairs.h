/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table that finds a thing by two addresses, such as an arc by its ends.  It knows nothing of
 * what they are.
 */
#pragma once

#include <glib.h>

typedef struct FcGPairs FcGPairs;

FcGPairs *fc_gpairs_new(void);
void fc_gpairs_free(FcGPairs *pairs);

/* NULL if it is not there. */
void *fc_gpairs_find(const FcGPairs *pairs, const void *first, const void *second);

/* The pair must not be there yet; `value` is not NULL. */
void fc_gpairs_add(FcGPairs *pairs, const void *first, const void *second, void *value);
