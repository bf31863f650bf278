/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The two sections whose lines hold several records each, as there may be a million of them:
 * heap-blocks and latencies.  Called by format.c, parse.c and merge.c.
 */
#pragma once

#include "profile/field.h"

/* The number of lines. */
guint fc_runs_count(const FcProfile *profile, FcArrayName array);
/* Appends the lines. */
void fc_runs_write(const FcProfile *profile, FcArrayName array, GString *out,
                   const FcTextSink *sink);
/* Reads a line.  FALSE with the parser's error. */
gboolean fc_runs_read(FcParser *parser, FcArrayName array);

/* Appends the blocks of `other`, and counts those beyond FC_PROFILE_BLOCKS_MAX.  Its allocation
 * site i is sites[i] of `into`. */
void fc_runs_merge_blocks(FcProfileHeap *into, const FcProfileHeap *other, const guint *sites);
/* Adds the counts of `other`, whose arc i is arcs[i] of `into`. */
void fc_runs_merge_latencies(GArray *into, const GArray *other, const guint *arcs);
