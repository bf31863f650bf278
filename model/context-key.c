/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See context-key.h.
 */
#include "model/context-key.h"

guint fc_context_key_hash(gconstpointer key)
{
    const FcContextKey *at = key;
    return ((guint)at->parent * 0x9e3779b1U) ^ ((guint)at->function * 0x85ebca6bU) ^
           (at->line * 0xc2b2ae35U);
}

gboolean fc_context_key_equal(gconstpointer one, gconstpointer other)
{
    const FcContextKey *x = one;
    const FcContextKey *y = other;
    return x->parent == y->parent && x->function == y->function && x->line == y->line;
}
