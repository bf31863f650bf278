/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes, reads, copies and merges one field, by its type.  Called by format.c, parse.c and merge.c
 * for the fields of table.h, and by runs.c for parts of its lines.  A field's offset counts from
 * `record`.
 */
#pragma once

#include "profile/parser.h"

/* Appends the field, after a blank unless the line is empty. */
void fc_field_write(GString *out, const FcField *field, gconstpointer record);

/* Reads the field from the next words of the line.  FALSE: the parser has the error; the record
 * still owns what was read before. */
gboolean fc_field_read(FcParser *parser, const FcField *field, gpointer record);

gboolean fc_field_is_zero(const FcField *field, gconstpointer record);

/* Completes a copy that was made byte by byte: duplicates strings and other owned values. */
void fc_field_own(const FcField *field, gpointer record);
/* Replaces a field of a section of keys by a copy. */
void fc_field_copy(const FcField *field, gpointer into, gconstpointer from);

/* Merges the field of `from` into that of `into`, by the field's rule. */
void fc_field_merge(const FcField *field, gpointer into, gconstpointer from);

/* Adds without overflow: the sum is at most the greatest number. */
static inline void fc_field_add(guint64 *to, guint64 amount)
{
    if (__builtin_add_overflow(*to, amount, to))
        *to = G_MAXUINT64;
}

/* ---- Parts of lines ------------------------------------------------------------------- */

/* Appends a blank unless the line is empty. */
void fc_field_separate(GString *out);
/* Reads NUMBER:COUNT into buckets[NUMBER].  NUMBER must be at least `*least`, which becomes
 * NUMBER + 1, and below `limit`. */
gboolean fc_field_read_bucket(FcText *text, guint64 *buckets, guint limit, guint64 *least);
/* Appends a blank and NUMBER:COUNT; nothing if COUNT is 0. */
void fc_field_write_bucket(GString *out, guint bucket, guint64 count);
/* Reads a word of `names`; *out is its position. */
gboolean fc_field_read_word(FcText *text, const char *what, const char *const *names, guint count,
                            guint *out);
/* Reads the index of a record in the array.  With `none` it may be FC_NONE; it is FC_NONE if that
 * array's section is missing. */
gboolean fc_field_read_index(FcParser *parser, const char *what, FcArrayName array, gboolean none,
                             gint *out);
