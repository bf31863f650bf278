/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a context of a tree is known by: its parent and its function, numbers of that tree; in some
 * where it was called, too.  The key
 * of a GHashTable; hash and equality have no state.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gint parent;
    gint function;
    guint line; /* of the call, in a tree that tells these apart; else 0 */
} FcContextKey;

guint fc_context_key_hash(gconstpointer key);
gboolean fc_context_key_equal(gconstpointer one, gconstpointer other);
