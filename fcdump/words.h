/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arguments of options that are a word of several, or a list.  Used by options.c alone.
 */
#pragma once

#include <glib.h>

/* Sets `*out` to the position of `word` in `words` (NULL-terminated); FALSE and `error`, which
 * names the option and all of them, where it is none. */
gboolean fc_words_find(const char *const *words, const char *word, const char *option, gint *out,
                       GError **error);

/* Adds the parts of `text` to `list` (char *, which it owns): it is split at commas, but not
 * inside the brackets of C++ names. */
void fc_words_split(const char *text, GPtrArray *list);
