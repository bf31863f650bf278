/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The binary search of the manager and the tools, for tables of any kind: GArrays, plain arrays,
 * parallel arrays, rows that a library hands out by number.  It knows nothing but indexes.
 */
#pragma once

#include <stddef.h>

/* The first of the indexes 0 ... count - 1 with which `condition` is true, or `count` where it is
 * true with none.  The table is sorted so that the condition is false up to some index and true
 * from there on.  `index` names the variable, a size_t, that the condition is written with; it is
 * this macro's own.  `count` is evaluated once, the condition up to log2(count) + 1 times.
 *
 * The first entry at or behind `address` (lower bound), and the last one that begins at or before
 * it (the one in front of the upper bound; none where the bound is 0):
 *
 *     size_t next = FC_FIRST_WHERE(count, i, table[i].start >= address);
 *     size_t bound = FC_FIRST_WHERE(count, i, table[i].start > address);
 *     if (bound > 0)
 *         use(&table[bound - 1]);
 */
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
