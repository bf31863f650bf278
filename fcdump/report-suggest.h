/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the report of --suggest-filter has for others to say.
 */
#pragma once

#include "model/suggest.h"

#define FC_SUGGEST_PERCENT 20 /* where none is asked for */

/* gcc's option with the names to leave out, for a shell, on one line.  The caller owns the result.
 */
char *fc_suggestion_flag(const FcSuggestion *suggestion);
