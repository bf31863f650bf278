/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a context of a tree is known by: its parent and its function, numbers of that tree.  The key
 * of a GHashTable; hash and equality have no state.
 */
#pragma once

#include <glib.h>

typedef struct
{
    gint parent;
    gint function;
} FcContextKey;

guint fc_context_key_hash(gconstpointer key);
gboolean fc_context_key_equal(gconstpointer one, gconstpointer other);
