/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first part of a .fc file: version 3.0 to the letter, for readers that know no more, and from
 * whoever wrote it.  Called by format.c and by parse.c, which checks that it agrees with the
 * sections behind it.
 */
#pragma once

#include "profile/parser.h"

#define FC_V3_HEADER "functioncheck_v3.0"
/* Behind the unique id: sections follow the part of version 3.0, or the file is cut off. */
#define FC_V3_ANNOUNCEMENT "+sections"

/* Append what the sections say more exactly, with the announcement if `announced`, unless there is
 * no unique id that it could follow; and the lists of blocks, the last piece of which is left in
 * `out`.  `sink` may be NULL. */
void fc_v3_write_figures(const FcProfile *profile, gboolean announced, GString *out,
                         const FcTextSink *sink);
void fc_v3_write_blocks(const FcProfile *profile, GString *out, const FcTextSink *sink);

/* Into the model.  `*complete` is FALSE where the file ends before the lists of memory, as those of
 * before 3.0.3 do.  FALSE with the error in parser->text.error. */
gboolean fc_v3_read(FcParser *parser, gboolean *complete);
