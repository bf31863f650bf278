/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Builds text without stdio, which belongs to the program, and without memory from its heap.  For
 * every file of libfc; async-signal-safe and thread-safe throughout.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes `number` in decimal, at most 20 characters and no NUL.  Returns the end. */
char *fc_text_number(char *at, uint64_t number);

/* How many letters have to be put in, taken away or replaced to make one text of the other;
 * SIZE_MAX where one has more than 31. */
size_t fc_text_distance(const char *one, const char *other);

/* One line in a fixed buffer; what does not fit is cut off.  Added text may come from anywhere:
 * control characters, and those that change the writing direction, become escapes such as
 * "\x1b". */
struct FcLine
{
    size_t bytes;
    char text[512];
};
void fc_line_start(struct FcLine *line, const char *text);
void fc_line_add(struct FcLine *line, const char *text);
void fc_line_add_number(struct FcLine *line, uint64_t number);
/* Adds the newline, for which there is always room. */
void fc_line_end(struct FcLine *line);
