/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts counters into the assembler's input.  Adds to a compiler's output for x86-64 one instruction
 * at the entry of each function and before each call, which increments a counter, and a record of
 * the function or call (libfc/fc-entries.h).
 *
 * Used by main.c.  Only transforms text; makes no input or output.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct FcText
{
    char *bytes; /* owned: free() */
    size_t length;
};

/* Writes the text with counters to `into`, which the caller frees.  FALSE: use the text as it
 * is, since no compiler wrote it, it has no functions, or there is no memory. */
bool fc_filter_apply(const char *text, size_t length, struct FcText *into);
