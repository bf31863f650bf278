/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of FC_FILTER: what they mean, and which of them fit a function.  Called by main.c.
 * Reads no files.
 *
 *     WORD[;WORD]...      WORD: [ACTION][file:|module:]PATTERN
 *     ACTION: none, these and no others; `!` and `skip:`, not these; `count:`; `time:`
 */
#pragma once

#include "libfc/fc-choices.h"
#include "symbols/functions.h"

typedef struct FcWords FcWords;

/* NULL and `error` where a word can't be understood. */
FcWords *fc_words_parse(const char *text, GError **error);
void fc_words_free(FcWords *words);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcWords, fc_words_free)

/* Whether files are asked for. */
gboolean fc_words_need_files(const FcWords *words);

/* The action for all that is in the module at `path`, and for one function of it: of the words that
 * fit, the last one decides. */
enum FcFilterAction fc_words_choose_module(FcWords *words, const char *path);
enum FcFilterAction fc_words_choose(FcWords *words, const char *path,
                                    const FcFunctionName *function);

/* The first word that never fitted anything; NULL: there is none. */
const char *fc_words_unused(const FcWords *words);
