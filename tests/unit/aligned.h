/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Zeroed memory at a multiple of `alignment`, to be freed: glib has that only since 2.72.
 */
#pragma once

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static inline void *aligned_new0(gsize bytes, gsize alignment)
{
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);

    g_assert_nonnull(memory);
    return memset(memory, 0, bytes);
}
