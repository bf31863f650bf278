/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text from programs and files that is shown to people: names, paths, what an error is about.  Used
 * by fcmanager and the tools.
 */
#pragma once

#include <glib.h>

/* `text` with what would do something else than stand there written as an escape, as "\x1b" or
 * "\u202e": control characters, line ends and those that turn the direction of writing or can't be
 * seen.  What is no UTF-8 becomes U+FFFD.  The caller frees it. */
char *fc_plain_text(const char *text);

/* Likewise, of a text that may have lines and tabs of its own. */
char *fc_plain_lines(const char *text);

/* Whether `c` is written as an escape. */
gboolean fc_plain_is_escaped(gunichar c);
