/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Squares of 64-bit numbers and their sums, exact: sums of sums are the same in every order.
 */
#pragma once

#include <glib.h>

/* In two halves, as records of 128-bit numbers would want another alignment. */
typedef struct
{
    guint64 low;
    guint64 high;
} FcSquare;

FcSquare fc_square_of(guint64 number);
/* Stays at the greatest number where the sum does not fit. */
void fc_square_add(FcSquare *to, FcSquare more);
/* The largest number whose square is no greater. */
guint64 fc_square_root(FcSquare square);
double fc_square_value(FcSquare square);

static inline gboolean fc_square_is_zero(FcSquare square)
{
    return square.low == 0 && square.high == 0;
}

/* In decimal.  FALSE: it is no number, or does not fit. */
void fc_square_append(GString *out, FcSquare square);
gboolean fc_square_parse(const char *digits, gsize bytes, FcSquare *square);
