/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first part of a .fc file: version 3.0 to the letter, written for readers that know only that,
 * and read from any writer.  Called by format.c and by parse.c, which checks that it agrees with
 * the sections behind it.
 */
#pragma once

#include "profile/parser.h"

#define FC_V3_HEADER "functioncheck_v3.0"
/* Follows the unique id.  It says that sections come after the part of version 3.0; if they don't,
 * the file is cut off. */
#define FC_V3_ANNOUNCEMENT "+sections"

/* Append the figures and the lists of blocks.  `announced`: with the announcement, unless there is
 * no unique id before it.  The last piece of the lists is left in `out`.  `sink` may be NULL. */
void fc_v3_write_figures(const FcProfile *profile, gboolean announced, GString *out,
                         const FcTextSink *sink);
void fc_v3_write_blocks(const FcProfile *profile, GString *out, const FcTextSink *sink);

/* Reads the part into the profile.  `*complete` is FALSE if the file ends before the lists of
 * memory, as versions before 3.0.3 do.  FALSE: parser->text.error has the error. */
gboolean fc_v3_read(FcParser *parser, gboolean *complete);
