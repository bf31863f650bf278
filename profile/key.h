/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values that tell whether two records are of the same thing, as a key of a GHashTable.  Used
 * by merge.c and difference.c.
 */
#pragma once

#include <glib.h>
#include <string.h>

/* Hashed and compared as bytes.  Values that a record does not need are 0. */
typedef struct
{
    gint64 values[5];
} FcKey;

static inline guint fc_key_hash(gconstpointer data)
{
    const FcKey *key = data;
    guint64 hash = 0;
    for (guint i = 0; i < G_N_ELEMENTS(key->values); i++)
        hash =
            (hash ^ hash >> 32 ^ (guint64)key->values[i]) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

static inline gboolean fc_key_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(FcKey)) == 0;
}
