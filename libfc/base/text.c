/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See text.h.
 */
#include "libfc/base/text.h"

#include <stdbool.h>
#include <string.h>

char *fc_text_number(char *at, uint64_t number)
{
    if (number >= 10)
        at = fc_text_number(at, number / 10);
    *at++ = (char)('0' + number % 10);
    return at;
}

/* decode returns the first character of a UTF-8 text, and its length in *bytes.  INVALID: the
 * first byte begins no valid character. */
#define INVALID 0xffffffffu

static uint32_t decode(const unsigned char *text, size_t *bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = text[0] < 0x80                       ? 1
                          : text[0] >= 0xc2 && text[0] < 0xe0  ? 2
                          : text[0] >= 0xe0 && text[0] < 0xf0  ? 3
                          : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                               : 0;
    *bytes = 1;
    if (length <= 1)
        return length == 1 ? text[0] : INVALID;
    uint32_t code = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
    {
        if ((text[i] & 0xc0) != 0x80)
            return INVALID;
        code = code << 6 | (text[i] & 0x3fu);
    }
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return INVALID;
    *bytes = length;
    return code;
}

/* Whether the character affects a terminal or how other text is displayed: control characters,
 * and those that are invisible or change the writing direction. */
static bool is_hidden(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},      {0xad, 0xad},
                                         {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200f},
                                         {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                                         {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* Writes "\x1b", "\u202e" or "\U000e0001".  Returns the number of characters. */
static size_t escape(char *at, uint32_t code)
{
    const char digits[] = "0123456789abcdef";
    const size_t count = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    at[0] = '\\';
    at[1] = count == 2 ? 'x' : count == 4 ? 'u' : 'U';
    for (size_t i = 0; i < count; i++)
        at[2 + i] = digits[code >> 4 * (count - 1 - i) & 0xf];
    return 2 + count;
}

void fc_line_add(struct FcLine *line, const char *text)
{
    size_t bytes;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at += bytes)
    {
        char escaped[10];
        const uint32_t code = decode(at, &bytes);
        const bool is_plain = code != INVALID && !is_hidden(code);
        const size_t size = is_plain ? bytes : escape(escaped, code == INVALID ? *at : code);
        if (size > sizeof line->text - 1 - line->bytes) /* one byte stays for the newline */
            return;
        memcpy(line->text + line->bytes, is_plain ? (const char *)at : escaped, size);
        line->bytes += size;
    }
}

#define COMPARED_MAX 31 /* letters */

size_t fc_text_distance(const char *one, const char *other)
{
    size_t row[COMPARED_MAX + 1]; /* distances from the part of `one` read so far to each prefix
                                     of `other` */
    const size_t length = strlen(other);
    if (length > COMPARED_MAX || strlen(one) > COMPARED_MAX)
        return SIZE_MAX;
    for (size_t i = 0; i <= length; i++)
        row[i] = i;
    for (; *one != '\0'; one++)
    {
        size_t corner = row[0]++;
        for (size_t i = 1; i <= length; i++)
        {
            const size_t above = row[i];
            const size_t replaced = corner + (*one != other[i - 1]);
            const size_t moved = (above < row[i - 1] ? above : row[i - 1]) + 1;
            row[i] = replaced < moved ? replaced : moved;
            corner = above;
        }
    }
    return row[length];
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
