/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the manager naps between its looks at the pipe while records come: then no writer has to
 * wake it, which would cost the writer more than the records did.
 */
#pragma once

#include <glib.h>

/* Of a round of looks. */
typedef struct
{
    glong ns;     /* the next nap */
    guint halved; /* how often the longest was, while messages come */
} FcNaps;

/* `is_beside_others`: processes may come to their ends meanwhile, for which they wait. */
void fc_naps_begin(FcNaps *naps, gboolean is_beside_others);

/* After one, in which so many messages came.  `is_streamed`: as fc_shared_is_streamed(). */
void fc_naps_adapt(FcNaps *naps, gboolean is_streamed, gsize came);

/* A thread had no chunk left meanwhile: until the end of the round they are shorter. */
void fc_naps_shorten(FcNaps *naps, gboolean is_streamed);
