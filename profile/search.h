/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The binary search of the manager and the tools, for tables of any kind: GArrays, plain arrays,
 * parallel arrays, rows that a library hands out by number.  It knows nothing but indexes.
 */
#pragma once

#include <stddef.h>

/* Returns the first index of 0 ... count - 1 for which `condition` is true, or `count` if there is
 * none.  The table must be sorted so that the condition is false up to some index and true from
 * there on.  `index` names the variable, a size_t, that the condition uses; the macro declares it.
 * `count` is evaluated once, the condition at most log2(count) + 1 times. */
#define FC_FIRST_WHERE(count, index, condition)                                                    \
    __extension__({                                                                                \
        size_t index##_low = 0, index##_high = (count);                                            \
        while (index##_low < index##_high)                                                         \
        {                                                                                          \
            const size_t index = index##_low + (index##_high - index##_low) / 2;                   \
            if (condition)                                                                         \
                index##_high = index;                                                              \
            else                                                                                   \
                index##_low = index + 1;                                                           \
        }                                                                                          \
        index##_low;                                                                               \
    })
