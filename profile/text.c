/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words, numbers and lines of the text formats; see text.h.  Reads untrusted
 * input: every access is checked against the end of the line.
 */
#include "profile/text.h"
#include "profile/fc-profile-file.h"

#include <stdarg.h>
#include <string.h>

/* ---- Writing --------------------------------------------------------------- */

static void append_octal(GString *out, guchar byte)
{
    const char digits[4] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + ((byte >> 3) & 7)),
                            (char)('0' + (byte & 7))};
    g_string_append_len(out, digits, sizeof digits);
}

static void append_escaped(GString *out, const char *string, guchar first_plain)
{
    /* Readers of version 3.0 take names as they stand, so UTF-8 is left alone. */
    const gboolean is_utf8 = g_utf8_validate(string, -1, NULL);
    for (const guchar *c = (const guchar *)string; *c != '\0'; c++)
    {
        if (*c < first_plain || *c == '\\' || *c == 0x7f || (*c >= 0x80 && !is_utf8))
            append_octal(out, *c);
        else
            g_string_append_c(out, (char)*c);
    }
}

void fc_text_append_word(GString *out, const char *string)
{
    if (!string)
        g_string_append_c(out, '-');
    else if (*string == '\0')
        g_string_append(out, "\\e");
    else if (strcmp(string, "-") == 0)
        append_octal(out, '-');
    else
        append_escaped(out, string, ' ' + 1);
}

void fc_text_append_rest(GString *out, const char *string)
{
    /* Escapes outer blanks: the reader strips the blanks around a name. */
    const gsize bytes = strlen(string);
    g_autofree char *inner = g_strdup(string);
    gsize from = 0;
    gsize to = bytes;
    if (to > 0 && inner[to - 1] == ' ')
        inner[--to] = '\0';
    if (to > 0 && inner[0] == ' ')
    {
        append_octal(out, ' ');
        from = 1;
    }
    append_escaped(out, inner + from, ' ');
    if (to < bytes)
        append_octal(out, ' ');
}

void fc_text_append_number(GString *out, guint64 number)
{
    char digits[20];
    gsize first = sizeof digits;
    do
        digits[--first] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    g_string_append_len(out, digits + first, (gssize)(sizeof digits - first));
}

void fc_text_append_signed(GString *out, gint64 number)
{
    if (number < 0)
        g_string_append_c(out, '-');
    fc_text_append_number(out, number < 0 ? 0 - (guint64)number : (guint64)number);
}

void fc_text_append_hex(GString *out, guint64 number)
{
    char digits[18];
    gsize first = sizeof digits;
    do
        digits[--first] = "0123456789abcdef"[number & 15];
    while ((number >>= 4) != 0);
    digits[--first] = 'x';
    digits[--first] = '0';
    g_string_append_len(out, digits + first, (gssize)(sizeof digits - first));
}

void fc_text_pass_on(const FcTextSink *sink, GString *out)
{
    if (!sink || out->len < FC_TEXT_PIECE_BYTES)
        return;
    sink->take(sink->data, out);
    g_string_truncate(out, 0);
}

/* ---- Lines ----------------------------------------------------------------- */

#define PIECE_BYTES ((gsize)1 << 15)
/* All blocks of an allocation site are on one line. */
#define LINE_BYTES_MAX ((gsize)1 << 30)

static gboolean is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void fc_text_start(FcText *text, const char *data, gsize bytes)
{
    const char *end = data ? data + bytes : NULL;

    *text = (FcText){.next = data, .end = end, .word = data, .line_end = data};
}

void fc_text_start_source(FcText *text, FcTextSource *source)
{
    *text = (FcText){.source = source, .buffer_bytes = 2 * PIECE_BYTES};
    text->buffer = g_malloc(text->buffer_bytes);
    text->next = text->end = text->word = text->line_end = text->buffer;
}

void fc_text_stop(FcText *text)
{
    g_clear_pointer(&text->buffer, g_free);
}

gboolean fc_text_read_more(FcText *text)
{
    gsize unread = (gsize)(text->end - text->next);
    if (!text->source || text->error)
        return FALSE;
    memmove(text->buffer, text->next, unread);
    if (text->buffer_bytes - unread < PIECE_BYTES)
    {
        text->buffer_bytes *= 2;
        text->buffer = g_realloc(text->buffer, text->buffer_bytes);
    }
    text->next = text->word = text->line_end = text->buffer;
    text->end = text->buffer + unread;
    if (unread > LINE_BYTES_MAX)
        return fc_text_fail(text, "the line is too long");
    gssize got = text->source->read(text->source, text->buffer + unread,
                                    text->buffer_bytes - unread, &text->error);
    if (got <= 0)
        text->source = NULL;
    text->end += MAX(got, 0);
    return got > 0;
}

gboolean fc_text_fail(FcText *text, const char *format, ...)
{
    if (text->error)
        return FALSE;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *reason = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    text->error = g_error_new(FC_PROFILE_ERROR, FC_PROFILE_ERROR_MALFORMED,
                              "line %" G_GUINT64_FORMAT ": %s", MAX(text->line, 1), reason);
    return FALSE;
}

gboolean fc_text_at_end(FcText *text)
{
    return text->next == text->end && !fc_text_read_more(text);
}

/* Returns the end of the line that begins at text->next; NULL: it is not ended. */
static const char *find_newline(FcText *text)
{
    gsize searched = 0;
    do
    {
        const char *newline =
            memchr(text->next + searched, '\n', (gsize)(text->end - text->next) - searched);
        if (newline)
            return newline;
        searched = (gsize)(text->end - text->next);
    } while (fc_text_read_more(text));
    return NULL;
}

gboolean fc_text_next_line(FcText *text, const char *what)
{
    if (text->error)
        return FALSE;
    text->line++;
    if (fc_text_at_end(text))
        return fc_text_fail(text, "the file ends here, where %s must follow", what);
    const char *newline = find_newline(text);
    if (!newline)
        return fc_text_fail(text, "the file ends within this line");
    text->word = text->next;
    text->line_end = newline;
    text->next = newline + 1;
    if (text->copy)
        g_string_append_len(text->copy, text->word, text->next - text->word);
    return TRUE;
}

static void skip_blanks(FcText *text)
{
    while (text->word < text->line_end && is_blank(*text->word))
        text->word++;
}

gboolean fc_text_has_word(FcText *text)
{
    skip_blanks(text);
    return text->error == NULL && text->word < text->line_end;
}

gboolean fc_text_end_line(FcText *text)
{
    if (text->error)
        return FALSE;
    if (fc_text_has_word(text))
        return fc_text_fail(text, "too much on the line");
    return TRUE;
}

gboolean fc_text_raw_word(FcText *text, const char *what, const char **start, gsize *bytes)
{
    if (text->error)
        return FALSE;
    if (!fc_text_has_word(text))
        return fc_text_fail(text, "%s is missing", what);
    *start = text->word;
    while (text->word < text->line_end && !is_blank(*text->word))
        text->word++;
    *bytes = (gsize)(text->word - *start);
    return TRUE;
}

/* ---- Words ----------------------------------------------------------------- */

static gboolean parse_decimal(const char *digits, gsize bytes, guint64 *out)
{
    guint64 value = 0;
    if (bytes == 0)
        return FALSE;
    for (gsize i = 0; i < bytes; i++)
    {
        if (!g_ascii_isdigit(digits[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (guint64)(digits[i] - '0'), &value))
            return FALSE;
    }
    *out = value;
    return TRUE;
}

gboolean fc_text_number(FcText *text, const char *what, guint64 *out)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, what, &word, &bytes))
        return FALSE;
    if (!parse_decimal(word, bytes, out))
        return fc_text_fail(text, "%s is not a number of 64 bits", what);
    return TRUE;
}

gboolean fc_text_parse_signed(const char *word, gsize bytes, gint64 *out)
{
    guint64 value;
    const gsize sign_bytes = bytes > 0 && word[0] == '-';
    if (!parse_decimal(word + sign_bytes, bytes - sign_bytes, &value) ||
        value > (guint64)G_MAXINT64 + sign_bytes)
        return FALSE;
    *out = (gint64)(sign_bytes != 0 ? 0 - value : value);
    return TRUE;
}

gboolean fc_text_signed(FcText *text, const char *what, gint64 *out)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, what, &word, &bytes))
        return FALSE;
    if (!fc_text_parse_signed(word, bytes, out))
        return fc_text_fail(text, "%s is not a number of 64 bits with sign", what);
    return TRUE;
}

/* Returns the value of a hexadecimal digit; 16 if it is none.  Faster than glib's functions, which
 * take a call or two for each. */
static guint hex_value(char c)
{
    const guint digit = (guchar)c - (guint)'0';
    const guint letter = ((guchar)c | 0x20U) - (guint)'a';
    if (digit < 10)
        return digit;
    return letter < 6 ? letter + 10 : 16;
}

gboolean fc_text_address(FcText *text, const char *what, guint64 *out)
{
    const char *word;
    gsize bytes;
    guint64 value = 0;
    if (!fc_text_raw_word(text, what, &word, &bytes))
        return FALSE;
    *out = 0;
    if ((bytes == 1 && word[0] == '0') || (bytes == 5 && memcmp(word, "(nil)", 5) == 0))
        return TRUE;
    gboolean good = bytes > 2 && bytes <= 18 && word[0] == '0' && (word[1] | 0x20) == 'x';
    for (gsize i = 2; good && i < bytes; i++)
    {
        const guint digit = hex_value(word[i]);
        good = digit < 16;
        value = value << 4 | digit;
    }
    if (!good)
        return fc_text_fail(text, "%s is not an address of 64 bits", what);
    *out = value;
    return TRUE;
}

gboolean fc_text_index(FcText *text, const char *what, guint limit, gboolean none, gint *out)
{
    gint64 value = 0;
    if (!fc_text_signed(text, what, &value))
        return FALSE;
    if (value >= (gint64)limit || value < (none ? FC_NONE : 0))
        return fc_text_fail(text, "%s is %" G_GINT64_FORMAT ", but there are %u", what, value,
                            limit);
    *out = (gint)value;
    return TRUE;
}

static gboolean is_octal(const char *digits)
{
    return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
           digits[2] >= '0' && digits[2] <= '7';
}

/* Returns NULL if a backslash begins no escape (unless `lenient`), or an escape means NUL. */
static char *unescape(const char *from, gsize bytes, gboolean lenient)
{
    char *string = g_malloc(bytes + 1);
    gsize length = 0;
    for (gsize i = 0; i < bytes; i++)
    {
        const gboolean escaped = from[i] == '\\' && bytes - i >= 4 && is_octal(from + i + 1);
        char c = from[i];
        if (escaped)
        {
            c = (char)((from[i + 1] - '0') << 6 | (from[i + 2] - '0') << 3 | (from[i + 3] - '0'));
            i += 3;
        }
        if (c == '\0' || (c == '\\' && !escaped && !lenient))
        {
            g_free(string);
            return NULL;
        }
        string[length++] = c;
    }
    string[length] = '\0';
    return string;
}

gboolean fc_text_string(FcText *text, const char *what, FcTextMode mode, char **out)
{
    const char *word = NULL;
    gsize bytes = 0;
    if (!fc_text_raw_word(text, what, &word, &bytes))
        return FALSE;
    if (bytes == 1 && word[0] == '-')
    {
        *out = NULL;
        return (mode & FC_TEXT_NONE) != 0 ? TRUE : fc_text_fail(text, "%s is missing", what);
    }
    if (bytes == 2 && memcmp(word, "\\e", 2) == 0)
        *out = g_strdup("");
    else
        *out = unescape(word, bytes, (mode & FC_TEXT_LENIENT) != 0);
    return *out ? TRUE : fc_text_fail(text, "%s has an escape that is none", what);
}

gboolean fc_text_rest(FcText *text, const char *what, char **out)
{
    if (text->error)
        return FALSE;
    if (!fc_text_has_word(text))
        return fc_text_fail(text, "%s is missing", what);
    const char *end = text->line_end;
    while (is_blank(end[-1]))
        end--;
    *out = unescape(text->word, (gsize)(end - text->word), TRUE);
    text->word = text->line_end;
    return *out ? TRUE : fc_text_fail(text, "%s has a NUL byte in it", what);
}
