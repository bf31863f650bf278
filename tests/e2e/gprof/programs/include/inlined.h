/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Part of inlined.c and shapes.cc, in a folder of its own.
 */
#pragma once

#include "../burn.h"

static inline int deeper(int n)
{
    burn(1);
    return n * 3;
}

static inline int from_header(int n)
{
    if (n % 7 == 0)
        return deeper(n) + 1;
    return deeper(n + 1);
}
