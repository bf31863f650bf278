/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The types of fields; see field.h.  Must not read beyond the text, whatever its numbers say, nor
 * write what the reader refuses.
 */
#include "profile/field.h"

#include <math.h>
#include <string.h>

static const char *const time_mode_names[] = {"-", "tsc", "ext", "cpu", "sys"}; /* 0: all others */
static const char *const end_names[] = {"unknown", "exit", "signal", "exec", "running"};
static const char *const bad_names[] = {"unknown", "double", "inside", "stack", "mismatch"};
/* A point that is not known: its call is 0. */
static const FcProfileHeapPoint no_point = {FC_NONE, {0, 0, FC_NONE}, 0, FC_NONE};
/* The kind of a call is one byte on the wire. */
#define CALL_KINDS 256

/* The functions of a type; `value` is the field itself.  A type without a writer has no word in the
 * line. */
typedef struct
{
    guint bytes;
    void (*write)(GString *out, gconstpointer value);
    gboolean (*read)(FcParser *parser, const FcField *field, gpointer value);
} Type;

/* ---- Numbers ------------------------------------------------------------------------------ */

static void write_number(GString *out, gconstpointer value)
{
    fc_text_append_number(out, *(const guint64 *)value);
}

static gboolean read_number(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_text_number(&parser->text, field->what, value);
}

/* Adds to the field: the first part of the file may have counted leaks that were not kept. */
static gboolean read_total(FcParser *parser, const FcField *field, gpointer value)
{
    guint64 number = 0;
    if (!fc_text_number(&parser->text, field->what, &number))
        return FALSE;
    fc_field_add(value, number);
    return TRUE;
}

static void write_square(GString *out, gconstpointer value)
{
    fc_square_append(out, *(const FcSquare *)value);
}

static gboolean read_square(FcParser *parser, const FcField *field, gpointer value)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, field->what, &word, &bytes))
        return FALSE;
    return fc_square_parse(word, bytes, value) ||
           fc_text_fail(&parser->text, "%s is not a number", field->what);
}

static void write_signed(GString *out, gconstpointer value)
{
    fc_text_append_signed(out, *(const gint64 *)value);
}

static gboolean read_signed(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_text_signed(&parser->text, field->what, value);
}

static void write_address(GString *out, gconstpointer value)
{
    fc_text_append_hex(out, *(const guint64 *)value);
}

static gboolean read_address(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_text_address(&parser->text, field->what, value);
}

static void write_small(GString *out, gconstpointer value)
{
    fc_text_append_number(out, *(const guint *)value);
}

static gboolean read_below(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_text_index(&parser->text, field->what, field->of, FALSE, value);
}

static gboolean read_flag(FcParser *parser, const FcField *field, gpointer value)
{
    guint64 number;
    if (!fc_text_number(&parser->text, field->what, &number))
        return FALSE;
    if (number > 1)
        return fc_text_fail(&parser->text, "whether it ended must be 0 or 1");
    *(gboolean *)value = number == 1;
    return TRUE;
}

static gboolean read_depth(FcParser *parser, const FcField *field, gpointer value)
{
    guint64 depth;
    if (!fc_text_number(&parser->text, field->what, &depth))
        return FALSE;
    if (depth > G_MAXUINT32)
        return fc_text_fail(&parser->text, "\"%s\" is out of range", field->what);
    *(guint32 *)value = (guint32)depth;
    return TRUE;
}

static void write_rate(GString *out, gconstpointer value)
{
    char rate[G_ASCII_DTOSTR_BUF_SIZE];
    const double number = *(const double *)value;
    g_string_append(out, g_ascii_dtostr(rate, sizeof rate, isfinite(number) ? number : 0));
}

static gboolean read_rate(FcParser *parser, const FcField *field, gpointer value)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, field->what, &word, &bytes))
        return FALSE;
    g_autofree char *digits = g_strndup(word, bytes);
    char *end;
    const double rate = g_ascii_strtod(digits, &end);
    if (*end != '\0' || !isfinite(rate))
        return fc_text_fail(&parser->text, "%s is not a number", field->what);
    *(double *)value = rate;
    return TRUE;
}

static void write_costs(GString *out, gconstpointer value)
{
    for (guint i = 0; i < FC_PROFILE_COSTS; i++)
    {
        if (i > 0)
            g_string_append_c(out, ' ');
        fc_text_append_number(out, ((const guint64 *)value)[i]);
    }
}

static gboolean read_costs(FcParser *parser, const FcField *field, gpointer value)
{
    gboolean good = TRUE;
    for (guint i = 0; good && i < FC_PROFILE_COSTS; i++)
        good = fc_text_number(&parser->text, field->what, (guint64 *)value + i);
    return good;
}

/* ---- Words -------------------------------------------------------------------------------- */

static void write_string(GString *out, gconstpointer value)
{
    const char *string = *(const char *const *)value;
    fc_text_append_word(out, string ? string : "");
}

static gboolean read_string(FcParser *parser, const FcField *field, gpointer value)
{
    g_clear_pointer((char **)value, g_free);
    return fc_text_string(&parser->text, field->what, FC_TEXT_STRICT, value);
}

static void write_name(GString *out, gconstpointer value)
{
    fc_text_append_word(out, *(const char *const *)value);
}

static gboolean read_name(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_text_string(&parser->text, field->what, FC_TEXT_NONE, value);
}

gboolean fc_field_read_word(FcText *text, const char *what, const char *const *names, guint count,
                            guint *out)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, what, &word, &bytes))
        return FALSE;
    for (*out = 0; *out < count; ++*out)
        if (strlen(names[*out]) == bytes && memcmp(names[*out], word, bytes) == 0)
            return TRUE;
    return fc_text_fail(text, "%s is not known", what);
}

static void write_bad_kind(GString *out, gconstpointer value)
{
    const guint kind = *(const guint *)value;
    g_string_append(out, bad_names[kind < G_N_ELEMENTS(bad_names) ? kind : FC_BAD_UNKNOWN]);
}

static gboolean read_bad_kind(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_field_read_word(&parser->text, field->what, bad_names, G_N_ELEMENTS(bad_names),
                              value);
}

static void write_mode(GString *out, gconstpointer value)
{
    const guint mode = *(const guint *)value;
    g_string_append(out, time_mode_names[mode < G_N_ELEMENTS(time_mode_names) ? mode : 0]);
}

/* Checks against the mode that the first part of the file had. */
static gboolean read_mode(FcParser *parser, const FcField *field, gpointer value)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(&parser->text, field->what, &word, &bytes))
        return FALSE;
    const char *expected = time_mode_names[*(const gint *)value];
    if (strlen(expected) != bytes || memcmp(expected, word, bytes) != 0)
        return fc_text_fail(&parser->text, "the first part says that the clock is %s", expected);
    return TRUE;
}

static void write_end(GString *out, gconstpointer value)
{
    const FcProfile *profile =
        (const FcProfile *)((const char *)value - G_STRUCT_OFFSET(FcProfile, end));
    const guint end = (guint)profile->end;
    g_string_append_printf(out, "%s %d",
                           end_names[end < G_N_ELEMENTS(end_names) ? end : FC_END_UNKNOWN],
                           profile->end_value);
}

static gboolean read_end(FcParser *parser, const FcField *field, gpointer value)
{
    FcText *text = &parser->text;
    const char *word;
    gsize bytes;
    gint64 number;
    if (!fc_text_raw_word(text, field->what, &word, &bytes) ||
        !fc_text_signed(text, field->what, &number))
        return FALSE;
    if (number < G_MININT32 || number > G_MAXINT32)
        return fc_text_fail(text, "the value of \"end\" is out of range");
    parser->profile->end_value = (gint)number;
    for (guint i = 0; i < G_N_ELEMENTS(end_names); i++)
        if (strlen(end_names[i]) == bytes && memcmp(end_names[i], word, bytes) == 0)
        {
            *(FcProfileEnd *)value = (FcProfileEnd)i;
            return TRUE;
        }
    return fc_text_fail(text, "not a known way to end");
}

static void write_arguments(GString *out, gconstpointer value)
{
    const GStrv arguments = *(const GStrv *)value;
    fc_text_append_number(out, g_strv_length(arguments));
    for (guint i = 0; arguments[i]; i++)
    {
        g_string_append(out, "\nargument ");
        fc_text_append_word(out, arguments[i]);
    }
}

static gboolean read_arguments(FcParser *parser, const FcField *field, gpointer value)
{
    if (!parser->arguments)
        parser->arguments = g_ptr_array_new_with_free_func(g_free);
    return fc_text_number(&parser->text, field->what, &parser->argument_count);
}

static gboolean read_argument(FcParser *parser, const FcField *field, gpointer value)
{
    char *argument;
    if (!parser->arguments)
        return fc_text_fail(&parser->text, "\"arguments\" must stand before this");
    if (!fc_text_string(&parser->text, field->what, FC_TEXT_STRICT, &argument))
        return FALSE;
    g_ptr_array_add(parser->arguments, argument);
    return TRUE;
}

/* ---- Other records ------------------------------------------------------------------------ */

/* Whether the array was read.  The version 3.0 part has functions and arcs. */
static gboolean is_known(const FcParser *parser, FcArrayName array)
{
    return array == FC_ARRAY_FUNCTIONS || array == FC_ARRAY_ARCS ||
           fc_parser_has(parser, (FcSectionName)(fc_section_of(array) - fc_sections));
}

gboolean fc_field_read_index(FcParser *parser, const char *what, FcArrayName array, gboolean none,
                             gint *out)
{
    const gboolean known = !none || is_known(parser, array);
    const FcSection *section = parser->section;
    guint limit = known ? fc_array_of(parser->profile, array)->len : G_MAXINT32;
    if (section->array == array && section->lines == FC_LINES_RECORDS)
        limit = parser->row;
    if (!fc_text_index(&parser->text, what, limit, none, out))
        return FALSE;
    *out = known ? *out : FC_NONE;
    return TRUE;
}

static gboolean read_index(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_field_read_index(parser, field->what, (FcArrayName)field->of, FALSE, value);
}

static void write_link(GString *out, gconstpointer value)
{
    fc_text_append_signed(out, *(const gint *)value);
}

static gboolean read_link(FcParser *parser, const FcField *field, gpointer value)
{
    return fc_field_read_index(parser, field->what, (FcArrayName)field->of, TRUE, value);
}

static void write_location(GString *out, gconstpointer value)
{
    const FcProfileLocation *location = value;
    fc_text_append_signed(out, location->module);
    g_string_append_c(out, ' ');
    fc_text_append_hex(out, location->address);
}

static gboolean read_location(FcParser *parser, const FcField *field, gpointer value)
{
    FcProfileLocation *location = value;
    if (!fc_field_read_index(parser, "the module", FC_ARRAY_MODULES, TRUE, &location->module) ||
        !fc_text_address(&parser->text, "the address", &location->address))
        return FALSE;
    location->offset = location->address;
    if (location->module != FC_NONE)
        location->offset -=
            g_array_index(parser->profile->modules, FcProfileModule, location->module).base;
    return TRUE;
}

static void write_point(GString *out, gconstpointer value)
{
    const FcProfileHeapPoint *point = value;
    if (point->call == 0)
        point = &no_point;
    fc_text_append_signed(out, point->context);
    g_string_append_c(out, ' ');
    write_location(out, &point->site);
    g_string_append_printf(out, " %u %d", point->call, point->frames);
}

static gboolean read_point(FcParser *parser, const FcField *field, gpointer value)
{
    FcProfileHeapPoint *point = value;
    gint call;
    if (!fc_field_read_index(parser, "the context", FC_ARRAY_CONTEXTS, TRUE, &point->context) ||
        !read_location(parser, field, &point->site) ||
        !fc_text_index(&parser->text, "the kind of call", CALL_KINDS, FALSE, &call) ||
        !fc_field_read_index(parser, "the frame", FC_ARRAY_HEAP_FRAMES, TRUE, &point->frames))
        return FALSE;
    point->call = (guint)call;
    if (call == 0)
        *point = no_point;
    return TRUE;
}

/* ---- Buckets ------------------------------------------------------------------------------- */

gboolean fc_field_read_bucket(FcText *text, guint64 *buckets, guint limit, guint64 *least)
{
    const char *word;
    gsize bytes;
    if (!fc_text_raw_word(text, "the bucket", &word, &bytes))
        return FALSE;
    const char *colon = memchr(word, ':', bytes);
    if (!colon)
        return fc_text_fail(text, "a bucket must be NUMBER:COUNT");
    guint64 bucket;
    FcText part = {.word = word, .line_end = colon, .line = text->line};
    gboolean good = fc_text_number(&part, "the bucket", &bucket);
    if (good && (bucket >= limit || bucket < *least))
        good = fc_text_fail(&part, "bucket %" G_GUINT64_FORMAT " is out of range or order", bucket);
    if (good)
    {
        part.word = colon + 1;
        part.line_end = word + bytes;
        good = fc_text_number(&part, "the count of a bucket", &buckets[bucket]);
        *least = bucket + 1;
    }
    text->error = part.error;
    return good;
}

static gboolean read_buckets(FcText *text, guint64 *buckets, guint count)
{
    guint64 least = 0;
    while (fc_text_has_word(text))
        if (!fc_field_read_bucket(text, buckets, count, &least))
            return FALSE;
    return TRUE;
}

void fc_field_write_bucket(GString *out, guint bucket, guint64 count)
{
    if (count == 0)
        return;
    fc_field_separate(out);
    fc_text_append_number(out, bucket);
    g_string_append_c(out, ':');
    fc_text_append_number(out, count);
}

static void write_histogram(GString *out, gconstpointer value)
{
    const FcHistogram *histogram = value;
    for (guint i = 0; i < histogram->count; i++)
        fc_field_write_bucket(out, histogram->first + i, histogram->calls[i]);
}

static gboolean read_histogram(FcParser *parser, const FcField *field, gpointer value)
{
    guint64 buckets[FC_HISTOGRAM_BUCKETS] = {0};
    if (!read_buckets(&parser->text, buckets, FC_HISTOGRAM_BUCKETS))
        return FALSE;
    fc_histogram_clear(value);
    *(FcHistogram *)value = fc_histogram_of(buckets, FC_HISTOGRAM_BUCKETS);
    return TRUE;
}

static void write_sizes(GString *out, gconstpointer value)
{
    for (guint i = 0; i < FC_SIZE_BUCKETS; i++)
        fc_field_write_bucket(out, i, ((const guint64 *)value)[i]);
}

static gboolean read_sizes(FcParser *parser, const FcField *field, gpointer value)
{
    return read_buckets(&parser->text, value, FC_SIZE_BUCKETS);
}

static void write_off(GString *out, gconstpointer value)
{
    const FcProfileOff *off = *(FcProfileOff *const *)value;
    fc_text_append_number(out, off->preempted_ns);
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
    {
        fc_field_separate(out);
        fc_text_append_number(out, off->kind_ns[kind]);
    }
}

static gboolean read_off(FcParser *parser, const FcField *field, gpointer value)
{
    static const char *const names[FC_WAIT_KINDS] = {
        [FC_WAIT_LOCK] = "the time for a lock", [FC_WAIT_SIGN] = "the time for a sign",
        [FC_WAIT_INPUT] = "the time for input", [FC_WAIT_SLEEP] = "the time asleep",
        [FC_WAIT_DISK] = "the time for a disk", [FC_WAIT_OTHER] = "the time for others"};
    FcProfileOff off;
    if (!fc_text_number(&parser->text, "the preempted time", &off.preempted_ns))
        return FALSE;
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        if (!fc_text_number(&parser->text, names[kind], &off.kind_ns[kind]))
            return FALSE;
    g_free(*(FcProfileOff **)value);
    *(FcProfileOff **)value = g_memdup2(&off, sizeof off);
    return TRUE;
}

/* ---- What has no word ----------------------------------------------------------------------- */

static gboolean read_mark(FcParser *parser, const FcField *field, gpointer value)
{
    *(gboolean *)value = TRUE;
    return TRUE;
}

static gboolean read_trace(FcParser *parser, const FcField *field, gpointer value)
{
    if (*(GArray **)value)
        return fc_text_fail(&parser->text, "the thread has a trace already");
    *(GArray **)value = fc_array_new(FC_ARRAY_THREAD_TRACE);
    return TRUE;
}

/* ---- All types ------------------------------------------------------------------------------ */

static const Type types[] = {
    [FC_FIELD_NUMBER] = {sizeof(guint64), write_number, read_number},
    [FC_FIELD_SQUARE] = {sizeof(FcSquare), write_square, read_square},
    [FC_FIELD_TOTAL] = {sizeof(guint64), write_number, read_total},
    [FC_FIELD_SIGNED] = {sizeof(gint64), write_signed, read_signed},
    [FC_FIELD_ADDRESS] = {sizeof(guint64), write_address, read_address},
    [FC_FIELD_BELOW] = {sizeof(guint), write_small, read_below},
    [FC_FIELD_FLAG] = {sizeof(gboolean), write_small, read_flag},
    [FC_FIELD_BAD_KIND] = {sizeof(FcProfileBadKind), write_bad_kind, read_bad_kind},
    [FC_FIELD_STRING] = {sizeof(char *), write_string, read_string},
    [FC_FIELD_NAME] = {sizeof(char *), write_name, read_name},
    [FC_FIELD_INDEX] = {sizeof(guint), write_small, read_index},
    [FC_FIELD_LINK] = {sizeof(gint), write_link, read_link},
    [FC_FIELD_PLACE] = {sizeof(FcProfileLocation), write_location, read_location},
    [FC_FIELD_POINT] = {sizeof(FcProfileHeapPoint), write_point, read_point},
    [FC_FIELD_HISTOGRAM] = {sizeof(FcHistogram), write_histogram, read_histogram},
    [FC_FIELD_SIZES] = {FC_SIZE_BUCKETS * sizeof(guint64), write_sizes, read_sizes},
    [FC_FIELD_OFF] = {sizeof(FcProfileOff *), write_off, read_off},
    [FC_FIELD_MARK] = {sizeof(gboolean), NULL, read_mark},
    [FC_FIELD_TRACE] = {sizeof(GArray *), NULL, read_trace},
    [FC_FIELD_DEPTH] = {sizeof(guint32), write_small, read_depth},
    [FC_FIELD_RATE] = {sizeof(double), write_rate, read_rate},
    [FC_FIELD_COSTS] = {FC_PROFILE_COSTS * sizeof(guint64), write_costs, read_costs},
    [FC_FIELD_MODE] = {sizeof(gint), write_mode, read_mode},
    [FC_FIELD_END] = {sizeof(FcProfileEnd), write_end, read_end},
    [FC_FIELD_ARGUMENTS] = {sizeof(GStrv), write_arguments, read_arguments},
    [FC_FIELD_ARGUMENT] = {0, NULL, read_argument},
};

void fc_field_separate(GString *out)
{
    if (out->len > 0 && out->str[out->len - 1] != '\n')
        g_string_append_c(out, ' ');
}

void fc_field_write(GString *out, const FcField *field, gconstpointer record)
{
    const Type *type = &types[field->type];
    if (!type->write)
        return;
    if (field->type != FC_FIELD_HISTOGRAM && field->type != FC_FIELD_SIZES)
        fc_field_separate(out); /* each bucket writes its own blank */
    type->write(out, (const char *)record + field->offset);
}

gboolean fc_field_read(FcParser *parser, const FcField *field, gpointer record)
{
    return types[field->type].read(parser, field, (char *)record + field->offset);
}

gboolean fc_field_is_zero(const FcField *field, gconstpointer record)
{
    static const guint64 zeros[FC_SIZE_BUCKETS]; /* the largest type */
    const gconstpointer value = (const char *)record + field->offset;
    if (field->type == FC_FIELD_OFF && *(FcProfileOff *const *)value)
        return memcmp(*(FcProfileOff *const *)value, zeros, sizeof(FcProfileOff)) == 0;
    return memcmp(value, zeros, types[field->type].bytes) == 0;
}

void fc_field_own(const FcField *field, gpointer record)
{
    const gpointer value = (char *)record + field->offset;
    if (field->type == FC_FIELD_STRING || field->type == FC_FIELD_NAME)
        *(char **)value = g_strdup(*(char **)value);
    else if (field->type == FC_FIELD_ARGUMENTS)
        *(GStrv *)value = g_strdupv(*(GStrv *)value);
    else if (field->type == FC_FIELD_HISTOGRAM)
        *(FcHistogram *)value = fc_histogram_copy(value);
    else if (field->type == FC_FIELD_OFF)
        *(FcProfileOff **)value = g_memdup2(*(FcProfileOff **)value, sizeof(FcProfileOff));
}

/* ---- Merging -------------------------------------------------------------------------------- */

static void add_numbers(const FcField *field, gpointer into, gconstpointer from)
{
    if (field->type == FC_FIELD_HISTOGRAM)
    {
        const FcHistogram *more = from;
        for (guint i = 0; i < more->count; i++)
            if (more->calls[i] != 0)
                fc_field_add(fc_histogram_at(into, more->first + i), more->calls[i]);
        return;
    }
    if (field->type == FC_FIELD_OFF)
    {
        fc_profile_add_off(into, *(FcProfileOff *const *)from);
        return;
    }
    if (field->type == FC_FIELD_SQUARE)
    {
        fc_square_add(into, *(const FcSquare *)from);
        return;
    }
    for (guint i = 0; i < types[field->type].bytes / sizeof(guint64); i++)
        fc_field_add((guint64 *)into + i, ((const guint64 *)from)[i]);
}

static void take_most(const FcField *field, gpointer into, gconstpointer from)
{
    if (field->type == FC_FIELD_SIGNED)
        *(gint64 *)into = MAX(*(gint64 *)into, *(const gint64 *)from);
    else
        for (guint i = 0; i < types[field->type].bytes / sizeof(guint64); i++)
            ((guint64 *)into)[i] = MAX(((guint64 *)into)[i], ((const guint64 *)from)[i]);
}

static void take_least(gint64 *into, gint64 from)
{
    if (*into == 0 || (from != 0 && from < *into))
        *into = from;
}

static void keep_same(const FcField *field, gpointer into, gconstpointer from)
{
    if (field->type == FC_FIELD_STRING)
    {
        if (g_strcmp0(*(char **)into, *(char *const *)from) != 0)
            g_clear_pointer((char **)into, g_free);
    }
    else if (*(gint64 *)into != *(const gint64 *)from)
        *(gint64 *)into = field->type == FC_FIELD_SIGNED ? FC_NONE : 0;
}

void fc_field_copy(const FcField *field, gpointer into, gconstpointer from)
{
    const gpointer old = (char *)into + field->offset;
    if (field->type == FC_FIELD_STRING)
        g_free(*(char **)old);
    else if (field->type == FC_FIELD_ARGUMENTS)
        g_strfreev(*(GStrv *)old);
    memcpy((char *)into + field->offset, (const char *)from + field->offset,
           types[field->type].bytes);
    fc_field_own(field, into);
}

void fc_field_merge(const FcField *field, gpointer into, gconstpointer from)
{
    const gpointer value = (char *)into + field->offset;
    const gconstpointer other = (const char *)from + field->offset;
    switch (field->merge)
    {
    case FC_MERGE_SUM:
        add_numbers(field, value, other);
        break;
    case FC_MERGE_ANY:
        *(gboolean *)value |= *(const gboolean *)other;
        break;
    case FC_MERGE_FIRST:
        if (fc_field_is_zero(field, into))
            fc_field_copy(field, into, from);
        break;
    case FC_MERGE_LEAST:
        take_least(value, *(const gint64 *)other);
        break;
    case FC_MERGE_MOST:
        take_most(field, value, other);
        break;
    case FC_MERGE_SAME:
        keep_same(field, value, other);
        break;
    case FC_MERGE_KEEP:
    case FC_MERGE_KEY:
    default:
        break;
    }
}
