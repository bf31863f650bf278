/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What detail.c hands out: activations that are open, and its decisions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* An activation that is open, as far as the records tell. */
struct FcOpen
{
    uint64_t function;
    uint64_t site;
    uint64_t where;
    uint64_t time;
    uint64_t children;    /* ticks in recorded callees */
    uint32_t descendants; /* recorded calls within it */
    uint32_t statistics;  /* its function's, plus 1; 0: none */
};

struct FcDecision
{
    uint64_t function;
    bool is_nested; /* FC_COUNT_BEGINS_NESTED; else all are to be, also where these are already */
};
#define FC_DECISIONS_MAX 64u
