/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A streaming JSON writer; see json.h.  Members of the outermost levels stand on
 * lines of their own, what is nested deeper on one line, so that the text can be
 * read and compared line by line.
 */
#include "fcdump/json.h"

#include "profile/fc-profile.h"
#include "profile/plain.h"

#include <math.h>

#define LINE_DEPTH 2 /* deeper levels stand on their parent's line */

struct FcJson
{
    FILE *out;
    guint depth;
    gboolean is_shown; /* strings are written for display */
    gboolean filled;   /* the innermost object or array has a member */
};

FcJson *fc_json_new(FILE *out)
{
    FcJson *json = g_new0(FcJson, 1);
    json->out = out;
    return json;
}

void fc_json_set_shown(FcJson *json)
{
    json->is_shown = TRUE;
}

void fc_json_free(FcJson *json)
{
    if (!json)
        return;
    g_assert(json->depth == 0);
    fputc('\n', json->out);
    g_free(json);
}

static void put_break(const FcJson *json)
{
    if (json->depth > LINE_DEPTH)
        return;
    fputc('\n', json->out);
    for (guint i = 0; i < json->depth; i++)
        fputc(' ', json->out);
}

/* Writes a character: as a number if it is invisible or does something to a terminal. */
static void put_rare(const FcJson *json, const char *text)
{
    const gunichar c = g_utf8_get_char(text);
    if (!fc_plain_is_escaped(c))
        fwrite(text, 1, (gsize)(g_utf8_next_char(text) - text), json->out);
    else if (c < 0x10000)
        fprintf(json->out, "\\u%04x", c);
    else /* a surrogate pair */
        fprintf(json->out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
}

static void put_string(const FcJson *json, const char *text)
{
    g_autofree char *mended = json->is_shown                    ? fc_plain_lines(text)
                              : g_utf8_validate(text, -1, NULL) ? NULL
                                                                : g_utf8_make_valid(text, -1);
    putc_unlocked('"', json->out); // no other thread writes here, and most of JSON is strings
    for (const char *p = mended ? mended : text; *p != '\0'; p++)
    {
        if (*p == '"' || *p == '\\')
            fprintf(json->out, "\\%c", *p);
        else if ((guchar)*p < 0x20 || *p == 0x7f)
            fprintf(json->out, "\\u%04x", (guint)*p);
        else if ((guchar)*p >= 0x80)
        {
            put_rare(json, p);
            p = g_utf8_next_char(p) - 1;
        }
        else
            putc_unlocked(*p, json->out);
    }
    putc_unlocked('"', json->out);
}

/* Writes what precedes a value: the comma, the line break, the key. */
static void put_start(FcJson *json, const char *key)
{
    if (json->filled)
        fputs(json->depth > LINE_DEPTH ? ", " : ",", json->out);
    if (json->depth > 0)
        put_break(json);
    json->filled = TRUE;
    if (!key)
        return;
    put_string(json, key);
    fputs(": ", json->out);
}

static void put_begin(FcJson *json, const char *key, char bracket)
{
    put_start(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->filled = FALSE;
}

static void put_end(FcJson *json, char bracket)
{
    json->depth--;
    if (json->filled && json->depth < LINE_DEPTH)
        put_break(json);
    fputc(bracket, json->out);
    json->filled = TRUE;
}

void fc_json_begin_object(FcJson *json, const char *key)
{
    put_begin(json, key, '{');
}

void fc_json_end_object(FcJson *json)
{
    put_end(json, '}');
}

void fc_json_begin_array(FcJson *json, const char *key)
{
    put_begin(json, key, '[');
}

void fc_json_end_array(FcJson *json)
{
    put_end(json, ']');
}

void fc_json_string(FcJson *json, const char *key, const char *value)
{
    put_start(json, key);
    if (value)
        put_string(json, value);
    else
        fputs("null", json->out);
}

void fc_json_unsigned(FcJson *json, const char *key, guint64 value)
{
    put_start(json, key);
    fprintf(json->out, "%" G_GUINT64_FORMAT, value);
}

void fc_json_signed(FcJson *json, const char *key, gint64 value)
{
    put_start(json, key);
    fprintf(json->out, "%" G_GINT64_FORMAT, value);
}

void fc_json_double(FcJson *json, const char *key, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    put_start(json, key);
    fputs(isfinite(value) ? g_ascii_dtostr(digits, sizeof digits, value) : "null", json->out);
}

void fc_json_boolean(FcJson *json, const char *key, gboolean value)
{
    put_start(json, key);
    fputs(value ? "true" : "false", json->out);
}

void fc_json_null(FcJson *json, const char *key)
{
    put_start(json, key);
    fputs("null", json->out);
}

void fc_json_index(FcJson *json, const char *key, gint value)
{
    if (value == FC_NONE)
        fc_json_null(json, key);
    else
        fc_json_signed(json, key, value);
}

void fc_json_address(FcJson *json, const char *key, guint64 value)
{
    put_start(json, key);
    fprintf(json->out, "\"0x%" G_GINT64_MODIFIER "x\"", value);
}
