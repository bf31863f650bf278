/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections whose lines are a key and its value: process and clock.
 * Called by parse-sections.c.  A key that is not known is passed over.
 */
#include "profile/format.h"
#include "profile/parse.h"

#include <math.h>
#include <string.h>

typedef struct
{
    const char *name;
    gboolean (*read)(FcParser *parser, const char *name);
} Key;

static gboolean read_line(FcParser *parser, const Key *keys)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, "the key", &word, &bytes))
        return FALSE;
    for (const Key *key = keys; key->name; key++)
    {
        if (strlen(key->name) == bytes && memcmp(key->name, word, bytes) == 0)
            return key->read(parser, key->name);
    }
    parser->text.word = parser->text.line_end;
    return TRUE;
}

static gboolean read_string(FcParser *parser, const char *name, char **out)
{
    g_clear_pointer(out, g_free);
    return fc_text_string(&parser->text, name, FC_TEXT_STRICT, out);
}

/* ---- process ----------------------------------------------------------------- */

static gboolean read_pid(FcParser *parser, const char *name)
{
    return fc_text_signed(&parser->text, name, &parser->profile->pid);
}

static gboolean read_ppid(FcParser *parser, const char *name)
{
    return fc_text_signed(&parser->text, name, &parser->profile->ppid);
}

static gboolean read_thread(FcParser *parser, const char *name)
{
    return fc_text_signed(&parser->text, name, &parser->profile->thread_id);
}

static gboolean read_executable(FcParser *parser, const char *name)
{
    return read_string(parser, name, &parser->profile->executable);
}

static gboolean read_directory(FcParser *parser, const char *name)
{
    return read_string(parser, name, &parser->profile->directory);
}

static gboolean read_filter(FcParser *parser, const char *name)
{
    return read_string(parser, name, &parser->profile->filter);
}

static gboolean read_depth(FcParser *parser, const char *name)
{
    guint64 depth;
    if (!fc_text_number(&parser->text, name, &depth))
        return FALSE;
    if (depth > G_MAXUINT32)
        return fc_text_fail(&parser->text, "\"depth\" is out of range");
    parser->profile->depth = (guint32)depth;
    return TRUE;
}

static gboolean read_arguments(FcParser *parser, const char *name)
{
    if (!parser->arguments)
        parser->arguments = g_ptr_array_new_with_free_func(g_free);
    return fc_text_number(&parser->text, name, &parser->argument_count);
}

static gboolean read_argument(FcParser *parser, const char *name)
{
    char *argument;
    if (!parser->arguments)
        return fc_text_fail(&parser->text, "\"arguments\" must stand before this");
    if (!fc_text_string(&parser->text, name, FC_TEXT_STRICT, &argument))
        return FALSE;
    g_ptr_array_add(parser->arguments, argument);
    return TRUE;
}

static gboolean read_end(FcParser *parser, const char *name)
{
    FcText *text = &parser->text;
    const char *word;
    gsize bytes;
    gint64 value;
    if (!fc_text_raw_word(text, name, &word, &bytes) || !fc_text_signed(text, name, &value))
        return FALSE;
    if (value < G_MININT32 || value > G_MAXINT32)
        return fc_text_fail(text, "the value of \"end\" is out of range");
    parser->profile->end_value = (gint)value;
    for (int i = 0; i < FC_FORMAT_ENDS; i++)
    {
        const char *known = fc_format_end_names[i];
        if (strlen(known) == bytes && memcmp(known, word, bytes) == 0)
        {
            parser->profile->end = (FcProfileEnd)i;
            return TRUE;
        }
    }
    return fc_text_fail(text, "not a known way to end");
}

static gboolean read_started(FcParser *parser, const char *name)
{
    return fc_text_signed(&parser->text, name, &parser->profile->start_realtime_ns);
}

static gboolean read_ended(FcParser *parser, const char *name)
{
    return fc_text_signed(&parser->text, name, &parser->profile->end_realtime_ns);
}

static gboolean read_run(FcParser *parser, const char *name)
{
    return fc_text_number(&parser->text, name, &parser->profile->run_ns);
}

gboolean fc_parse_process(FcParser *parser)
{
    static const Key keys[] = {
        {"pid", read_pid},
        {"ppid", read_ppid},
        {"thread", read_thread},
        {"executable", read_executable},
        {"directory", read_directory},
        {"filter", read_filter},
        {"depth", read_depth},
        {"arguments", read_arguments},
        {"argument", read_argument},
        {"end", read_end},
        {"started", read_started},
        {"ended", read_ended},
        {"run", read_run},
        {NULL, NULL},
    };
    return read_line(parser, keys);
}

gboolean fc_parse_process_done(FcParser *parser)
{
    if (!parser->arguments)
        return TRUE;
    if (parser->arguments->len != parser->argument_count)
        return fc_text_fail(&parser->text, "%u arguments instead of %" G_GUINT64_FORMAT,
                            parser->arguments->len, parser->argument_count);
    g_ptr_array_add(parser->arguments, NULL);
    parser->profile->command_line = (GStrv)g_ptr_array_free(parser->arguments, FALSE);
    parser->arguments = NULL;
    return TRUE;
}

/* ---- clock ------------------------------------------------------------------- */

static gboolean read_mode(FcParser *parser, const char *name)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, name, &word, &bytes))
        return FALSE;
    const char *expected = fc_format_time_mode_names[parser->profile->time_mode];
    if (strlen(expected) != bytes || memcmp(expected, word, bytes) != 0)
        return fc_text_fail(&parser->text, "the first part says that the clock is %s", expected);
    return TRUE;
}

static gboolean read_rate(FcParser *parser, const char *name)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, name, &word, &bytes))
        return FALSE;
    g_autofree char *digits = g_strndup(word, bytes);
    char *end;
    const double rate = g_ascii_strtod(digits, &end);
    if (*end != '\0' || !isfinite(rate))
        return fc_text_fail(&parser->text, "%s is not a number", name);
    parser->profile->ticks_per_second = rate;
    return TRUE;
}

static gboolean read_costs(FcParser *parser, const char *name)
{
    for (guint i = 0; i < FC_PROFILE_COSTS; i++)
        if (!fc_text_number(&parser->text, name, &parser->profile->costs_ps[i]))
            return FALSE;
    return TRUE;
}

static gboolean read_looks(FcParser *parser, const char *name)
{
    return fc_text_number(&parser->text, name, &parser->profile->looks);
}

gboolean fc_parse_clock(FcParser *parser)
{
    static const Key keys[] = {
        {"mode", read_mode},   {"ticks-per-second", read_rate},
        {"costs", read_costs}, {"looks", read_looks},
        {NULL, NULL},
    };
    return read_line(parser, keys);
}
