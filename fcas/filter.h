/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts counters into the assembler's input. A compiler's output for x86-64 gets one instruction at
 * the entry of each function, which adds one to a counter, and a record of the function
 * (libfc/fc-entries.h).
 *
 * Used by main.c.  Pure text to text: no input or output.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct FcText
{
    char *bytes; /* owned: free() */
    size_t length;
};

/* Whether `into` has the text with counters.  FALSE: the text is to be passed on as it is, since a
 * compiler did not write it, or it has no function; or there is no memory. */
bool fc_filter_apply(const char *text, size_t length, struct FcText *into);
