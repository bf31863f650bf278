/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words of the command line: arguments of options that are a word of several, or a list; and how
 * far two words are from each other.
 */
#pragma once

#include <glib.h>

/* Sets `*out` to the index of `word` in `words` (NULL-terminated).  FALSE and `error`, which names
 * the option and all words, if it is not there. */
gboolean fc_words_find(const char *const *words, const char *word, const char *option, gint *out,
                       GError **error);

/* Adds the parts of `text` to `list` (char *, which it owns): it is split at commas, but not
 * inside the brackets of C++ names. */
void fc_words_split(const char *text, GPtrArray *list);

/* How many letters must be put in, taken away or replaced to make `b` of `a`. */
guint fc_words_distance(const char *a, const char *b);
