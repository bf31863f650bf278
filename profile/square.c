/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See square.h.
 */
#include "profile/square.h"

#include <math.h>

__extension__ typedef unsigned __int128 Wide;

#define WIDE_MAX (~(Wide)0)

static Wide widen(FcSquare square)
{
    return (Wide)square.high << 64 | square.low;
}

static FcSquare narrow(Wide wide)
{
    return (FcSquare){(guint64)wide, (guint64)(wide >> 64)};
}

FcSquare fc_square_of(guint64 number)
{
    return narrow((Wide)number * number);
}

void fc_square_add(FcSquare *to, FcSquare more)
{
    const Wide a = widen(*to);
    const Wide b = widen(more);
    *to = narrow(a > WIDE_MAX - b ? WIDE_MAX : a + b);
}

guint64 fc_square_root(FcSquare square)
{
    const Wide wide = widen(square);
    const double about = sqrt(fc_square_value(square));
    Wide root = about < 0x1p64 ? (guint64)about : G_MAXUINT64;
    /* Newton's method from a number with 53 correct bits; the result is off by one at most */
    for (guint i = 0; i < 4 && root > 0; i++)
        root = (root + wide / root) / 2;
    while (root > 0 && (root > G_MAXUINT64 || root * root > wide))
        root--;
    while (root < G_MAXUINT64 && (root + 1) * (root + 1) <= wide)
        root++;
    return (guint64)root;
}

double fc_square_value(FcSquare square)
{
    return (double)square.high * 0x1p64 + (double)square.low;
}

void fc_square_append(GString *out, FcSquare square)
{
    char digits[40];
    guint at = sizeof digits;
    Wide wide = widen(square);
    do
    {
        digits[--at] = (char)('0' + (guint)(wide % 10));
        wide /= 10;
    } while (wide > 0);
    g_string_append_len(out, digits + at, (gssize)(sizeof digits - at));
}

gboolean fc_square_parse(const char *digits, gsize bytes, FcSquare *square)
{
    Wide wide = 0;
    for (gsize i = 0; i < bytes; i++)
    {
        if (!g_ascii_isdigit(digits[i]))
            return FALSE;
        const guint digit = (guint)(digits[i] - '0');
        if (wide > (WIDE_MAX - digit) / 10)
            return FALSE;
        wide = wide * 10 + digit;
    }
    *square = narrow(wide);
    return bytes > 0;
}
