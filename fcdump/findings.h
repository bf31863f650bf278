/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an experienced colleague would say of a profile at first sight: sentences, the gravest
 * first.  Pure computation on a model; never prints.
 */
#pragma once

#include "fcdump/report.h"

/* A cycle with this share of all time is worth a word: here and in --summary. */
#define FC_NOTABLE_CYCLE 0.05

typedef struct
{
    char *text;          /* a sentence without its full stop */
    char *brief;         /* the same in fewer words; or NULL */
    char *reason;        /* what may follow it where there is room; or NULL */
    char *option;        /* of fcdump: what shows more of it; NULL: nothing does */
    gboolean is_to_copy; /* it ends with what is to be copied, and is never cut short */
} FcFinding;

/* FcFinding, owned by the array, which the caller owns; may be empty. */
GPtrArray *fc_findings_new(const FcReportContext *context);
