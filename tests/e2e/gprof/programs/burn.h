/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For the targets of the fcgprof tests: work that takes time and is inlined.
 */
#pragma once

static volatile unsigned long burn_sink;

static inline void burn(unsigned long rounds)
{
    for (unsigned long i = 0; i < rounds * 1000; i++)
        burn_sink += i * i ^ burn_sink >> 3;
}
