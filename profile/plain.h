/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes text from programs and files safe to show to people: names, paths, the subject of an error.
 * Used by fcmanager and the tools.
 */
#pragma once

#include <glib.h>

/* Returns `text` with dangerous characters as escapes, such as "\x1b" or "\u202e": control
 * characters, line ends, and those that are invisible or turn the direction of writing.  Invalid
 * UTF-8 becomes U+FFFD.  The caller frees the result. */
char *fc_plain_text(const char *text);

/* The same, but leaves line ends and tabs. */
char *fc_plain_lines(const char *text);

/* Whether `c` is written as an escape. */
gboolean fc_plain_is_escaped(gunichar c);
