/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sample as lines of text, for the terminal and for --batch.  Used by main.c and screen.c.
 */
#pragma once

#include "fctop/sample.h"

typedef enum
{
    FC_TOP_BY_CPU,
    FC_TOP_BY_TOTAL,
    FC_TOP_BY_WAIT,
    FC_TOP_BY_CALLS,
} FcTopOrder;

typedef struct
{
    FcTopOrder order;
    gboolean is_inverted;
    gboolean has_threads; /* rows are threads, not functions */
    const char *filter;   /* rows whose names have this text in them; NULL: all */
} FcTopView;

/* Both return an array of char *, which the caller unrefs.  `rows` has those that did something
 * within the span, in order; `head` ends with the line above them. */
GPtrArray *fc_top_head(const FcTopSample *sample, const FcTopView *view);
GPtrArray *fc_top_rows(const FcTopSample *sample, const FcTopView *view);
