/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See text.h.
 */
#include "libfc/text.h"

#include <string.h>

char *fc_text_number(char *at, uint64_t number)
{
    if (number >= 10)
        at = fc_text_number(at, number / 10);
    *at++ = (char)('0' + number % 10);
    return at;
}

void fc_line_add(struct FcLine *line, const char *text)
{
    size_t bytes = strlen(text);
    size_t room = sizeof line->text - 1 - line->bytes; /* one byte stays for the newline */
    if (bytes > room)
        bytes = room;
    memcpy(line->text + line->bytes, text, bytes);
    line->bytes += bytes;
}

void fc_line_start(struct FcLine *line, const char *text)
{
    line->bytes = 0;
    fc_line_add(line, text);
}

void fc_line_add_number(struct FcLine *line, uint64_t number)
{
    char digits[24];
    *fc_text_number(digits, number) = '\0';
    fc_line_add(line, digits);
}

void fc_line_end(struct FcLine *line)
{
    line->text[line->bytes++] = '\n';
}
