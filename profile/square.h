/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Squares of 64-bit numbers and their sums.  They are exact, so the order of additions does not
 * matter.
 */
#pragma once

#include <glib.h>

/* Two halves, as a 128-bit number would change the alignment of records. */
typedef struct
{
    guint64 low;
    guint64 high;
} FcSquare;

FcSquare fc_square_of(guint64 number);
/* Adds.  A sum that does not fit becomes the greatest number. */
void fc_square_add(FcSquare *to, FcSquare more);
/* Returns the largest number whose square is not greater. */
guint64 fc_square_root(FcSquare square);
double fc_square_value(FcSquare square);

static inline gboolean fc_square_is_zero(FcSquare square)
{
    return square.low == 0 && square.high == 0;
}

/* Write and read it in decimal.  FALSE: it is not a number, or does not fit. */
void fc_square_append(GString *out, FcSquare square);
gboolean fc_square_parse(const char *digits, gsize bytes, FcSquare *square);
