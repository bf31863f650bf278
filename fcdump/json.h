/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes JSON as it comes, without holding it in memory.  Used by export-json.c.  The
 * caller nests objects and arrays as they are to be; keys are given inside objects and
 * are NULL inside arrays.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

typedef struct FcJson FcJson;

/* Writes to `out`, which stays the caller's; its write errors are seen by ferror. */
FcJson *fc_json_new(FILE *out);
/* From now on strings are written as fc_plain_lines makes them, so that they can be shown
 * unchanged. */
void fc_json_set_shown(FcJson *json);
/* Ends the text with a newline; everything that was begun must have been ended. */
void fc_json_free(FcJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcJson, fc_json_free)

void fc_json_begin_object(FcJson *json, const char *key);
void fc_json_end_object(FcJson *json);
void fc_json_begin_array(FcJson *json, const char *key);
void fc_json_end_array(FcJson *json);

/* NULL is written as null; bytes that are no UTF-8 as U+FFFD. */
void fc_json_string(FcJson *json, const char *key, const char *value);
void fc_json_unsigned(FcJson *json, const char *key, guint64 value);
void fc_json_signed(FcJson *json, const char *key, gint64 value);
void fc_json_double(FcJson *json, const char *key, double value); /* null if not finite */
void fc_json_boolean(FcJson *json, const char *key, gboolean value);
void fc_json_null(FcJson *json, const char *key);
/* An index, null for FC_NONE. */
void fc_json_index(FcJson *json, const char *key, gint value);
/* A string of hexadecimal digits behind 0x: numbers of 64 bits are not safe in JSON. */
void fc_json_address(FcJson *json, const char *key, guint64 value);
